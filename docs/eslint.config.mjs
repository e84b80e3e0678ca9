// What `make eslint` checks in the script of reports, by rules that ESLint has itself.
const browser = ['Blob', 'URL', 'URLSearchParams', 'addEventListener', 'clearTimeout', 'document', 'history', 'innerHeight',
  'location', 'navigator', 'scrollTo', 'setTimeout'];
const rules = ['array-callback-return', 'consistent-return', 'default-param-last', 'eqeqeq', 'no-const-assign',
  'no-dupe-args', 'no-dupe-else-if', 'no-dupe-keys', 'no-else-return', 'no-empty', 'no-eval', 'no-func-assign',
  'no-implied-eval', 'no-new-func', 'no-redeclare', 'no-self-assign', 'no-self-compare', 'no-shadow',
  'no-template-curly-in-string', 'no-undef', 'no-unreachable', 'no-unused-expressions', 'no-unused-vars',
  'no-useless-escape', 'no-useless-return', 'no-var', 'object-shorthand', 'prefer-const',
  'use-isnan', 'valid-typeof'];
export default [{
  languageOptions: {sourceType: 'script', globals: Object.fromEntries(browser.map((name) => [name, 'readonly']))},
  rules: Object.fromEntries(rules.map((rule) => [rule, 'error'])),
}];
