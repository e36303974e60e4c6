//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

@_exported public import GodwitAccess
@_exported public import GodwitJSON
@_exported public import GodwitKeys
@_exported public import GodwitQuery
@_exported public import GodwitSelector
@_exported public import GodwitStore
@_exported public import GodwitSync
@_exported public import GodwitText
@_exported public import GodwitTransport
