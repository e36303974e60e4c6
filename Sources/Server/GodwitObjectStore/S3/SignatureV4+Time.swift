//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension SignatureV4 {
    /// Returns a time as a timestamp, `yyyyMMddTHHmmssZ`.
    ///
    /// - Parameter seconds: Seconds since 1970; not negative.
    package static func timestamp(_ seconds: Int) -> String { ServiceTime.basicText(seconds) }

    /// Returns the seconds since 1970 of a timestamp `yyyyMMddTHHmmssZ`; `nil` for any other text.
    package static func seconds(ofTimestamp text: String) -> Int? { ServiceTime.seconds(basic: text) }
}
