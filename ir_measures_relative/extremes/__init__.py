"""How far apart two rankings can be over all labels of their unjudged documents: an exact method per measure."""
