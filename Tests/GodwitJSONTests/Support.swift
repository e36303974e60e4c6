//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON

/// Returns the error for a text, or `nil` when it is accepted.
func refusal(of bytes: [UInt8], limits: JSONLimits = .default) -> JSONError? {
    do {
        try JSONScanner.validate(bytes, limits: limits)
        return nil
    } catch {
        return error
    }
}

func refusal(of text: String) -> JSONError? {
    refusal(of: Array(text.utf8))
}

func tape(_ text: String) throws -> JSONTape {
    try JSONTape(scanning: Array(text.utf8))
}

func canonical(_ text: String, droppingUnderscoredMembers: Bool = false) throws -> String {
    var output: [UInt8] = []
    try tape(text).appendCanonical(0, droppingUnderscoredMembers: droppingUnderscoredMembers, to: &output)
    return String(decoding: output, as: UTF8.self)
}

func withoutDuplicates(_ text: String) throws -> String {
    var output: [UInt8] = []
    try tape(text).appendWithoutDuplicates(0, to: &output)
    return String(decoding: output, as: UTF8.self)
}

/// Returns `depth` nested arrays.
func nestedArrays(_ depth: Int) -> [UInt8] {
    Array(String(repeating: "[", count: depth).utf8) + Array(String(repeating: "]", count: depth).utf8)
}

/// Runs a closure on a thread with a stack of 512 KB, the smallest that a caller may have; an overflow ends the
/// process.
func onSmallStack(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        body()
        done.signal()
    }
    thread.stackSize = 512 * 1024
    thread.start()
    done.wait()
}
