import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
y = (X[:, 0] + X[:, 1] > 0).astype(int)

# %% split, fit and score
X2 = np.hstack([X, X**2])
train, test, y_train, y_test = train_test_split(X2, y, test_size=0.25, random_state=1)
mean, std = train.mean(axis=0), train.std(axis=0)
train = (train - mean) / std
model = LogisticRegression(max_iter=200).fit(train, y_train)
predicted = model.predict((test - mean) / std)
accuracy = (predicted == y_test).mean()
print(confusion_matrix(y_test, predicted), accuracy)
model

# %% a pipeline with a transformer of the cell
class Clip(BaseEstimator, TransformerMixin):
    def __init__(self, bound=1.0):
        self.bound = bound
    def fit(self, X, y=None):
        self.peak_ = np.abs(X).max(axis=0)
        return self
    def transform(self, X):
        return np.clip(X, -self.bound * self.peak_, self.bound * self.peak_)
def squares(X):
    return np.concatenate([X, X * X], axis=1)
pipe = make_pipeline(Clip(0.5), FunctionTransformer(squares), StandardScaler(), LinearRegression())
pipe.fit(X, y * 2.0 - 1)
peak = pipe[0].peak_
score = pipe.score(X, y * 2.0 - 1)
coefficients = pipe[-1].coef_
score

# %% search and cross-validation
search = GridSearchCV(LogisticRegression(), {"C": np.logspace(-1, 1, 2)}, cv=2)
search.fit(X * 2, y)
scores = cross_val_score(LogisticRegression(), X + 1, y, cv=3)
best, table = search.best_params_, search.cv_results_["mean_test_score"]
del search  # it has times in it
scores.mean()

# %% clusters and their centres
centres = np.array([[0.0, 0.0], [4.0, 4.0]])
points = np.concatenate([centres[0] + X[:30, :2], centres[1] + X[30:, :2]])
means = KMeans(2, init=centres, n_init=1).fit(points)
own = np.array([points[means.labels_ == k].mean(axis=0) for k in range(2)])
gap = np.abs(own - means.cluster_centers_).max() < 1e-9
gap, np.bincount(means.labels_)

# %% errors and warnings of an estimator
try:
    LinearRegression().predict(X * 2)
except Exception as error:
    print(type(error).__name__, error)
few = LogisticRegression(max_iter=1).fit(X * 100, y)
LinearRegression().fit(X[:3], y)

# %% a division by zero on the way to an error
LinearRegression().fit(X[:3] / 0, y[:3])
