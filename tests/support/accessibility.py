"""Scripts that find what is hard to read or to hit in a page."""

# Text whose contrast with its background is below 4.5:1. The background of a mark in a map is the cell of its class.
POOR_CONTRAST = r"""
const channel = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
function luminance(colour) {
  const [r, g, b] = colour.match(/[\d.]+/g).map(Number).map(channel);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function background(node) {
  if (node.matches('svg .mark')) {
    const name = node.getAttribute('class').split(' ')[1];
    return getComputedStyle(node.closest('svg').querySelector(`path.${name}`)).fill;
  }
  for (let up = node; up; up = up.parentElement) {
    const colour = getComputedStyle(up).backgroundColor;
    if (!/, 0\)$/.test(colour)) return colour;
  }
  return 'rgb(255, 255, 255)';
}
const poor = [];
for (const node of document.querySelectorAll('body *:not(script, style, noscript, option)')) {
  const style = getComputedStyle(node);
  const hasText = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
  if (!hasText || !node.getBoundingClientRect().width || /url/.test(background(node))) continue;
  const colour = node.namespaceURI.endsWith('svg') ? style.fill : style.color;
  const [light, dark] = [luminance(colour), luminance(background(node))].sort((a, b) => b - a);
  const ratio = (light + 0.05) / (dark + 0.05);
  if (ratio < 4.5) poor.push([node.tagName, node.getAttribute('class'), node.textContent.slice(0, 20), ratio]);
}
return poor;
"""

# Buttons, fields and links outside running text that are smaller than 24 pixels.
SMALL_TARGETS = """
const targets = 'button, select, input, td a, nav a, .cards a, .fact a, summary, .step';
return [...document.querySelectorAll(targets)].map((node) => [node, node.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.width < 23.9 || box.height < 23.9))
  .map(([node, box]) => [node.tagName, node.textContent.slice(0, 20), box.width, box.height]);
"""
