"""Programs for other runtimes: ONNX, predictors and the ONNX Runtime backend."""
