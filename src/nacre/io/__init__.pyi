from .argilla import read_argilla as read_argilla
from .label_studio import read_label_studio as read_label_studio
from .labelling import Labelled as Labelled
from .read import read_table as read_table
from .write import write_table as write_table
