// Package readme keeps the README and the code in step: the tests of this folder
// compare what the README says with what the code does.
//
// After a change of a setting, go test ./scripts/readme -update writes the tables
// anew.
package readme
