//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

/// How the texts of each field are taken apart.
package struct TextAnalyzers: Sendable, Equatable {
    /// The analyzer of every field that has none of its own.
    let usual: TextAnalyzer
    private let own: [String: TextAnalyzer]

    /// - Parameter own: The analyzers of some fields by their paths.
    init(_ usual: TextAnalyzer, own: [String: TextAnalyzer] = [:]) { (self.usual, self.own) = (usual, own) }

    /// Reads what a design document says: the name of an analyzer, an object with its name and perhaps stop words, or
    /// `{"name": "perfield", "default": …, "fields": {…}}`.
    ///
    /// - Throws: ``TextError`` when it says something else.
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

    /// The analyzer of a field.
    ///
    /// - Parameter path: `nil` for words without a field.
    func analyzer(of path: String?) -> TextAnalyzer { path.flatMap { own[$0] } ?? usual }

    /// All of them, some perhaps more than once.
    var all: [TextAnalyzer] { [usual] + own.values }

    /// Those of fields by their paths.
    func mapFields<Value>(_ make: (TextAnalyzer) throws -> Value) rethrows -> [String: Value] {
        try own.mapValues(make)
    }
}
