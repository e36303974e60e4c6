//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The headers of one part, in the order in which the body contains them.
package struct MultipartHeaders: Sendable, Equatable {
    /// One header.
    package struct Field: Sendable, Equatable {
        /// The name as written.
        package let name: String
        /// The value without leading and trailing blanks. The lines of a folded value are joined with spaces.
        package fileprivate(set) var value: String
    }

    /// All headers. A name may occur more than once.
    package private(set) var fields: [Field] = []

    /// Creates an empty list of headers.
    init() {}

    /// The value of the first header with a name; `nil` when there is none. The name may be in upper or lower case.
    package subscript(name: String) -> String? {
        let lowercasedName = name.lowercased()
        return fields.first { $0.name.lowercased().utf8.elementsEqual(lowercasedName.utf8) }?.value
    }

    /// The part's media type; `nil` when the header is missing or malformed.
    package var contentType: MediaType? { self["Content-Type"].flatMap { MediaType($0) } }

    /// The length in bytes that the sender announced; `nil` when the header is missing, not a number or too large. The
    /// reader ignores this length: a part ends at its delimiter.
    package var contentLength: Int? {
        guard let text = self["Content-Length"], text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    /// The file name from the part's `Content-Disposition`; `nil` when the header is missing or malformed, or has no
    /// file name.
    package var filename: String? { disposition?.filename }

    /// The part's `Content-Disposition`; `nil` when the header is missing or malformed.
    package var disposition: ContentDisposition? { self["Content-Disposition"].flatMap { ContentDisposition($0) } }
}

extension MultipartHeaders {
    /// Adds one line of a part's headers.
    ///
    /// - Parameter line: The line without its line break, not empty. A line that starts with a blank continues the
    ///   previous header.
    /// - Returns: Whether the line is a valid header.
    mutating func add(line: ArraySlice<UInt8>) -> Bool {
        guard !line.contains(where: \.isControl) else { return false }
        if line.first?.isBlank == true {
            guard !fields.isEmpty else { return false }
            fields[fields.count - 1].value += " " + line.trimmed.text
            return true
        }
        guard let colon = line.firstIndex(of: .colon), line[..<colon].isToken else { return false }
        fields.append(Field(name: line[..<colon].text, value: line[(colon + 1)...].trimmed.text))
        return true
    }
}
