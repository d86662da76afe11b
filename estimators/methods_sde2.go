package estimators

// sde2Methods are SD-E2 and its two baselines.
var sde2Methods = []Method{}
