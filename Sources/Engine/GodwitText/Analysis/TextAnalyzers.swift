//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON

/// The analyzers of an index's fields.
package struct TextAnalyzers: Sendable, Equatable {
    /// The analyzer of all fields that have no separate analyzer.
    let usual: TextAnalyzer
    /// The separate analyzers of fields, keyed by path.
    private let fieldAnalyzers: [ExactText: TextAnalyzer]

    /// - Parameter fieldAnalyzers: The separate analyzers of fields, keyed by path.
    init(_ usual: TextAnalyzer, own fieldAnalyzers: [ExactText: TextAnalyzer] = [:]) {
        (self.usual, self.fieldAnalyzers) = (usual, fieldAnalyzers)
    }

    /// Parses the analyzer of a design document: the name of an analyzer, an object with its name and optionally stop
    /// words, or `{"name": "perfield", "default": …, "fields": {…}}`. If there is no `default`, the analyzer of all
    /// other fields is `standard`.
    ///
    /// - Throws: ``TextError`` for any other value, and for an analyzer that does not exist or is not available.
    package init(parsing value: JSONValue) throws(TextError) {
        guard value["name"] == "perfield" else {
            self.init(try TextAnalyzer(parsing: value))
            return
        }
        let usual =
            try value["default"].map { value throws(TextError) in try TextAnalyzer(parsing: value) } ?? .standard
        var fieldAnalyzers: [ExactText: TextAnalyzer] = [:]
        let fields = value["fields"] ?? [:]
        guard let fields = fields.objectValue else { throw .invalidValue(of: "fields", fields.jsonText()) }
        for (name, value) in fields {
            fieldAnalyzers[ExactText(TextPath.normalized(name))] = try TextAnalyzer(parsing: value)
        }
        self.init(usual, own: fieldAnalyzers)
    }

    /// Returns the analyzer of a field.
    ///
    /// - Parameter path: The path; `nil` for words without a field.
    func analyzer(of path: String?) -> TextAnalyzer { path.flatMap { fieldAnalyzers[ExactText($0)] } ?? usual }

    /// All analyzers, possibly with duplicates.
    var all: [TextAnalyzer] { [usual] + fieldAnalyzers.values }

    /// Returns a value for each separate analyzer of a field, keyed by the field's path.
    func mapFields<Value>(_ make: (TextAnalyzer) throws -> Value) rethrows -> [ExactText: Value] {
        try fieldAnalyzers.mapValues(make)
    }
}
