/// A second reading of the rules of memory: a model that is slow and obvious, and the tests that
/// hold the library against it.
///
/// [NaiveMemory][dev.quarry.model.NaiveMemory] keeps plain lists and scans them for every question.
/// It shares the vocabulary of layouts, failures and reports with the library, and none of its
/// machinery.
package dev.quarry.model;
