import numpy as np
import pandas as pd
x = np.arange(12.0)
people = pd.DataFrame({
    "city": ["Oslo", "Rome", "Oslo", "Lima", "Rome", "Oslo"],
    "age": [31, 45, 28, 52, 39, 61],
    "pay": [3100.0, 2800.5, np.nan, 4000.0, 2500.25, 3900.0],
})

# %% columns from computed arrays
df = pd.DataFrame({"x": x * 2, "y": np.sqrt(x), "kind": np.where(x > 5, "big", "small")})
df["z"] = df["x"] - x
df["scaled"] = (df["y"] - df["y"].mean()) / df["y"].std()
x += 1
print(df.head(3), df.dtypes, sep="\n")
df.describe()

# %% a query that reads a computed name
limit = x.mean() * 6
cities = np.array(["Oslo", "Rome"])
older = people.query("age > @limit and city in @cities")
half = people.eval("half = pay / @limit")
older

# %% groups, pivot and merge
means = people.groupby("city")["pay"].agg(["mean", "max", lambda s: s.isna().sum()])
wide = people.pivot_table(index="city", values="age", aggfunc=np.sum)
weights = pd.DataFrame({"city": ["Lima", "Oslo"], "w": np.array([1.0, 2.0]) * x[3]})
both = people.merge(weights, on="city", how="left", indicator=True)
print(means)
for city, group in people.groupby("city"):
    print(city, group["age"].to_numpy() + x[0])

# %% a function of the cell applied to rows and groups
def band(age):
    return "old" if age > 40 else "young"
def spread(group):
    return group.to_numpy().max() - group.to_numpy().min()
bands = people["age"].map(band)
rows = people.apply(lambda row: row["age"] * 2 + len(row["city"]), axis=1)
spreads = people.groupby("city")["age"].apply(spread)
rolled = pd.Series(x * x).rolling(3).apply(lambda w: w.sum() - w[0], raw=True)
spreads

# %% what is written in place
values = x * 3
s = pd.Series(values, copy=False)
values[0] = -1
s.iloc[1] = 50
people.loc[people["age"] > 40, "pay"] *= 2
people["pay"] = people["pay"].fillna(x.sum())
raw = people[["age", "pay"]].to_numpy()
raw[0] = 0
print(s.head(3).tolist(), people)

# %% dates and resampling
days = pd.date_range("2024-01-30", periods=12, freq="D")
series = pd.Series(np.cumsum(x), index=days)
weekly = series.resample("W").mean()
change = series.pct_change().replace([np.inf, -np.inf], np.nan)
late = series[series > np.median(x * x)]
weekly

# %% errors of a frame
try:
    people["nothing"] = x * 2
except ValueError as error:
    print(error)
people["weight"]

# %% stores that pandas warns of, and those that it does not
old = people.copy()
old["age"][0] = x[3]
old["pay"][old["age"] > 40] = x.mean()
old.loc[0]["age"] += 1
old[["age", "pay"]].loc[0, "age"] = 2
old["age"].iloc[1:3] = 5
for i in range(2):
    old.groupby("city").first()["pay"][i] = x[i]
# --- cell
ages = old["age"]
ages[0] = x[2]
old["age"] = ages * 2
old.loc[1, "pay"] -= x.sum()
old["pay"].to_numpy(copy=True)[0] = 1
def oldest(frame):
    frame["old"] = frame["age"] > 40
    frame["old"][0] = True
    frame.loc[0, "old"] = False
    return frame
oldest(old)
