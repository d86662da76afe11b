// Package all is the list of the packages that hold methods beside package estimators itself.
// Importing it makes their methods known to estimators.Methods and estimators.Lookup:
//
//	import _ "modebench/estimators/all"
//
// The list is alphabetical. Its order decides nothing, since methods have ranks.
package all

import (
	_ "modebench/estimators/curriculum"
	_ "modebench/estimators/exploration"
	_ "modebench/estimators/frameworks"
	_ "modebench/estimators/maclaurin"
	_ "modebench/estimators/passk"
	_ "modebench/estimators/reweighted"
	_ "modebench/estimators/sets"
	_ "modebench/estimators/similarity"
)
