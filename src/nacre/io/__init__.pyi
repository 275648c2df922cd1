from .read import read_table as read_table
from .write import write_table as write_table
