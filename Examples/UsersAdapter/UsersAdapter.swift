//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitHost
import GodwitServer

/// A server with routes for users: the CRUD sample of MobileFirst's CloudantAdapter (docs/own-routes.md).
@main
struct UsersAdapter: AsyncParsableCommand {
    @OptionGroup var options: ServeOptions

    func run() async throws { try await options.serve { _ in [UsersModule()] } }
}
