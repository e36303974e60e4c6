//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Declarations that Swift's modules of C libraries add to the headers. It is never called.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import CLibrary

private var unused: Never { fatalError("a declaration is not called") }

public var errno: Int32 {
    get { unused }
    set { unused }
}

public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { unused }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { unused }
public func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 { unused }
public func fcntl(_ descriptor: Int32, _ command: Int32, _ value: Int32) -> Int32 { unused }

public var S_IFMT: mode_t { unused }
public var S_IFDIR: mode_t { unused }
public var S_IFREG: mode_t { unused }
public var S_IFLNK: mode_t { unused }
