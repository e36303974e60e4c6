//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Godwit

#if !canImport(Darwin)
    /// A condition in the format of Apple's `NSPredicate`.
    ///
    /// Foundation on Linux has a class of this name, but the class does not support formats. If a file imports both
    /// Foundation and this module, it must contain the line `import class GodwitCloudantCompat.NSPredicate`, so that
    /// the compiler uses this class.
    ///
    /// Origin: Foundation's `NSPredicate`. New: ``GodwitSelector/PredicateFormat``, or ``GodwitSelector/Where`` in
    /// Swift.
    @available(*, deprecated, message: "Use PredicateFormat or Where.")
    public final class NSPredicate: Sendable {
        /// The format with its arguments.
        ///
        /// Origin: `predicateFormat`. New: ``GodwitSelector/PredicateFormat``.
        public let predicateFormat: String
        let parsed: Result<JSONObject, QueryPredicateError>

        /// Creates a condition. An argument that JSON cannot represent, such as a date, becomes `null`. If the format
        /// is invalid, the query that uses the condition throws an error. Foundation would raise an exception.
        ///
        /// Origin: `NSPredicate(format:)`. New: ``GodwitSelector/PredicateFormat/init(_:_:)``.
        public init(format: String, _ arguments: Any...) {
            predicateFormat = format
            let values = arguments.map { FoundationValues.json($0) ?? .null }
            parsed = Result { () throws(QueryPredicateError) in try PredicateFormat(format, arguments: values).selector
            }
        }
    }

    @available(*, deprecated)
    extension NSPredicate {
        /// Returns the condition as a selector.
        func selector() throws -> JSONObject { try parsed.get() }
    }
#else
    public import Foundation

    extension NSPredicate {
        /// Returns the condition as a selector.
        func selector() throws -> JSONObject { try PredicateFormat(predicateFormat).selector }
    }
#endif
