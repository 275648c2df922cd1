from . import classification as classification
from . import count as count
from . import filter as filter
from . import multiannotator as multiannotator
from . import rank as rank
