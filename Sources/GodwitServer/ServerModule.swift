//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A part of a server that brings its own routes: a console, a back end, an example.
///
/// The server knows no module by name. The first pieces of a module's paths are no names for databases while it is
/// loaded.
public protocol ServerModule: Sendable {
    /// The module's name, for messages.
    var name: String { get }

    /// Its routes. Each begins with a literal.
    var routes: [Route] { get }
}

extension ServerModule {
    /// The first pieces of its paths.
    var reservedNames: Set<String> {
        Set(
            routes.compactMap { route in
                guard case .literal(let text)? = route.pattern.first else { return nil }
                return text
            })
    }
}
