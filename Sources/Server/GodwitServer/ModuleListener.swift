//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A further address on which a server listens, with routes of a module and no others.
///
/// It is for clients that need a protocol at the root of an address. Both addresses have the same certificate and the
/// same limits. The routes have paths of their own, such as `/{path...}`, and are not in the list of the server's routes.
public struct ModuleListener: Sendable {
    let address: GodwitServer.Address
    let option: String
    let routes: [Route]
    let failureForm: FailureForm
    let onListening: @Sendable (_ port: Int) -> Void

    /// Creates a listener.
    ///
    /// - Parameters:
    ///   - address: The address; the port 0 is any free port.
    ///   - option: The option of the program that chooses the port, for error messages.
    ///   - routes: The routes.
    ///   - failureForm: The form of all error responses, including those of the server itself.
    ///   - onListening: A closure that is called with the port when the server accepts requests on it.
    public init(
        address: GodwitServer.Address, option: String, routes: [Route], failureForm: FailureForm,
        onListening: @escaping @Sendable (_ port: Int) -> Void = { _ in }
    ) {
        self.address = address
        self.option = option
        self.routes = routes
        self.failureForm = failureForm
        self.onListening = onListening
    }

    /// The error of a listener that could not listen on its address.
    package struct Failure: Error {
        /// The address.
        package let address: GodwitServer.Address
        /// The option of the program that chooses the port.
        package let option: String
        /// The error of the system.
        package let cause: any Error
    }
}
