package estimators

// entropyMethods hold the entropy of the policy up.
var entropyMethods = []Method{}
