//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The version of this Godwit.
package let godwitVersion = "0.1.0"

/// The version of CouchDB's API that this server supports.
let couchDBVersion = "3.5.0"
