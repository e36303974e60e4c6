//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

/// The analyzers of an index's fields.
package struct TextAnalyzers: Sendable, Equatable {
    /// The analyzer of every field without a separate one.
    let usual: TextAnalyzer
    private let own: [String: TextAnalyzer]

    /// - Parameter own: The separate analyzers of fields by their paths.
    init(_ usual: TextAnalyzer, own: [String: TextAnalyzer] = [:]) { (self.usual, self.own) = (usual, own) }

    /// Parses the analyzer of a design document: the name of an analyzer, an object with its name and optionally stop
    /// words, or `{"name": "perfield", "default": …, "fields": {…}}`.
    ///
    /// - Throws: ``TextError`` for any other value.
    package init(parsing value: JSONValue) throws(TextError) {
        guard value["name"] == "perfield" else {
            self.init(try TextAnalyzer(parsing: value))
            return
        }
        let usual =
            try value["default"].map { value throws(TextError) in try TextAnalyzer(parsing: value) } ?? .standard
        var own: [String: TextAnalyzer] = [:]
        let fields = value["fields"] ?? [:]
        guard let fields = fields.objectValue else { throw .invalidValue(of: "fields", fields.jsonText()) }
        for (name, value) in fields { own[TextPath.normalized(name)] = try TextAnalyzer(parsing: value) }
        self.init(usual, own: own)
    }

    /// Returns the analyzer of a field.
    ///
    /// - Parameter path: The path; `nil` for words without a field.
    func analyzer(of path: String?) -> TextAnalyzer { path.flatMap { own[$0] } ?? usual }

    /// All analyzers, possibly with duplicates.
    var all: [TextAnalyzer] { [usual] + own.values }

    /// Maps the separate analyzers of fields to values by their paths.
    func mapFields<Value>(_ make: (TextAnalyzer) throws -> Value) rethrows -> [String: Value] {
        try own.mapValues(make)
    }
}
