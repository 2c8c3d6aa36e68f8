#!/usr/bin/env python3
"""Converts models of scikit-learn as case folders: sklearn_models.py OUTPUT

Needs scikit-learn, skl2onnx, onnx and onnxruntime from PyPI. Data and models have seeds.
"""
import pathlib
import sys

import numpy as np
import onnx
from skl2onnx import convert_sklearn
from skl2onnx.common.data_types import FloatTensorType, Int64TensorType
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeRegressor

from case_writer import write_case

random = np.random.default_rng(0)
X = random.normal(size=(120, 4)).astype(np.float32)
classes = (X[:, 0] + X[:, 1] ** 2 > 0.8).astype(np.int64) + (X[:, 2] > 0.5)
values = X @ np.array([1, -2, 0.5, 0]) + np.sin(3 * X[:, 3])
missing = np.where(random.random(X.shape) < 0.1, np.nan, X).astype(np.float32)
codes = random.integers(0, 4, size=(120, 3))

# Name: model, data, targets, options of the conversion.
PLAIN = {"zipmap": False}  # probabilities as a tensor
models = {
    "linear_regression": (LinearRegression(), X, values, {}),
    "scaled_pca_logistic": (make_pipeline(StandardScaler(), PCA(3), LogisticRegression()), X, classes, PLAIN),
    "random_forest": (RandomForestClassifier(8, max_depth=4, random_state=0), X, classes, PLAIN),
    "gradient_boosting": (GradientBoostingRegressor(n_estimators=12, max_depth=3, random_state=0), X, values, {}),
    "decision_tree": (DecisionTreeRegressor(max_depth=5, random_state=0), X, values, {}),
    "svm_classifier": (SVC(probability=True, random_state=0), X, classes, PLAIN),
    "svm_regressor": (SVR(kernel="poly", degree=2), X, values, {}),
    "k_means": (KMeans(3, n_init=1, random_state=0), X, None, {}),
    "nearest_neighbors": (KNeighborsClassifier(3), X, classes, PLAIN),
    "perceptron": (make_pipeline(MinMaxScaler(), MLPClassifier((8,), max_iter=300, random_state=0)), X, classes, PLAIN),
    "imputer_normalizer": (make_pipeline(SimpleImputer(), Normalizer()), missing, None, {}),
    "one_hot_encoder": (make_pipeline(OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                                      LinearRegression()), codes, values, {}),
    "ordinal_encoder": (OrdinalEncoder(), codes, None, {}),
}


def main():
    for name, (model, data, targets, options) in models.items():
        model.fit(data) if targets is None else model.fit(data, targets)
        kind = FloatTensorType if data.dtype == np.float32 else Int64TensorType
        steps = [model, *([step for _, step in model.steps] if hasattr(model, "steps") else [])]
        converted = convert_sklearn(model, initial_types=[("x", kind([None, data.shape[1]]))],
                                    options={id(step): options for step in steps[-1:]} if options else None,
                                    target_opset={"": 18, "ai.onnx.ml": 3})
        write_case(pathlib.Path(sys.argv[1]) / name, converted, [data[:9]], [data[40:41]])


if __name__ == "__main__":
    main()
