//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector
package import GodwitStore

/// An error of a text index or a text query.
package struct TextError: Error, Sendable, Equatable {
    /// The name of the error: the member `error` of a response.
    package let error: String
    /// A description of the error and its correction: the member `reason` of a response.
    package let reason: String
    /// The offset of the error in the query, in bytes of UTF-8; `nil` for an index and for errors without a position.
    package let offset: Int?

    /// The HTTP status of a response: 400.
    package var status: Int { 400 }

    private init(_ error: String, _ reason: String, offset: Int? = nil) {
        self.error = error
        self.reason = reason
        self.offset = offset
    }
}

extension TextError: CustomStringConvertible {
    package var description: String { "\(error): \(reason)" }
}

// MARK: Indexes, with CouchDB's messages where it has them

extension TextError {
    static func notAnObject(_ text: String) -> TextError {
        TextError("invalid_index", "Text indexes must be an object, not: \(text)")
    }

    static func invalidKey(_ key: String) -> TextError {
        TextError("invalid_key", "Invalid key \(key) for this request.")
    }

    static func invalidFields(_ text: String) -> TextError {
        TextError(
            "invalid_index_fields_definition",
            """
            Text Index field definitions must be of the form {"name": "non-empty fieldname", "type": \
            "boolean,number, or string"}. Def: \(text)
            """)
    }

    static func notABoolean(_ text: String) -> TextError {
        TextError("invalid_boolean", "Invalid boolean value: \(text)")
    }

    static func invalidValue(of name: String, _ text: String) -> TextError {
        TextError("invalid_value", "Invalid value for \(name): \(text)")
    }

    static func unknownAnalyzer(_ name: String) -> TextError {
        TextError(
            "invalid_analyzer",
            "There is no analyzer \(name). Choose one of: \(TextAnalyzer.names.joined(separator: ", ")).")
    }

    static func unavailableAnalyzer(_ name: String, _ cause: String) -> TextError {
        TextError("invalid_analyzer", "The analyzer \(name) is not available. \(cause)")
    }

    static let outdated = TextError(
        "invalid_index", "The words of the index are outdated, and the index is being rebuilt. Try again.")

    static func tooManyFields(_ count: Int) -> TextError {
        TextError(
            "invalid_index",
            "A text index may name at most \(TextLimits.fieldsMax) fields, not \(count). Index all fields instead.")
    }
}

// MARK: Queries

extension TextError {
    static func syntax(_ reason: String, at offset: Int) -> TextError {
        TextError("text_search_error", "\(reason) (at byte \(offset) of the query)", offset: offset)
    }

    static let noDefaultField = TextError(
        "text_search_error", "The index has no default field. Name a field before each word: field:word.")

    /// The bookmark is invalid, or belongs to another search.
    static func invalidBookmark(_ bookmark: String) -> TextError {
        TextError("invalid_bookmark", "Invalid bookmark value: \(JSONValue.string(bookmark).jsonText())")
    }

    static let invalidPlace = TextError("invalid_bookmark", "The bookmark belongs to another search.")

    static func tooManyFacets(_ what: String, _ most: Int) -> TextError {
        TextError("text_search_error", "There are more than \(most) \(what). Narrow the query.")
    }

    static func invalidSort(_ written: String) -> TextError {
        TextError("text_search_error", "Unrecognized sort parameter: \(written)")
    }

    static func notFaceted(_ field: String) -> TextError {
        TextError(
            "text_search_error",
            "The index does not count the values of \(field): pass the field to index() with {\"facet\": true}.")
    }

    static func invalidGroup(_ written: String) -> TextError {
        TextError("text_search_error", "Results can be grouped by the texts of a field, not by \(written).")
    }

    static let tooManySearchFields = TextError(
        "text_search_error",
        "A search may name at most \(TextLimits.searchFieldsMax) fields in each of its parameters. Name fewer.")
}

extension StoreError {
    /// Converts an error of a text index or a search to the error that apps receive.
    package init(text error: any Error, subject: @autoclosure () -> String) {
        switch error {
        case let error as SelectorError: self.init(.invalidRequest, "\(error.error): \(error.reason)")
        case let error as TextError: self.init(.invalidRequest, "\(error.error): \(error.reason)")
        default: self.init(wrapping: error, subject: subject())
        }
    }
}
