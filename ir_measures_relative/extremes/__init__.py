"""How far apart two rankings can be over all labels of their unjudged documents, exactly, by measure."""
