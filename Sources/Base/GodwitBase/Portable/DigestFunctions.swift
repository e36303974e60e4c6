//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The functions of `ccrypto.h` for programs without libcrypto and without CommonCrypto, by swift-crypto.

#if !SystemLibraries && !canImport(CommonCrypto)
    import CBase
    import Crypto
    import CryptoExtras

    /// A `ccrypto_digest`.
    private final class Digest {
        var function: any HashFunction

        init(_ function: any HashFunction) { self.function = function }

        var pointer: OpaquePointer { OpaquePointer(Unmanaged.passRetained(self).toOpaque()) }

        static func at(_ pointer: OpaquePointer) -> Unmanaged<Digest> { .fromOpaque(UnsafeRawPointer(pointer)) }
    }

    @_cdecl("ccrypto_digest_make")
    func makeDigest(_ algorithm: ccrypto_algorithm) -> OpaquePointer? {
        switch algorithm {
        case CCRYPTO_SHA256: Digest(SHA256()).pointer
        case CCRYPTO_MD5: Digest(Insecure.MD5()).pointer
        default: Digest(Insecure.SHA1()).pointer
        }
    }

    @_cdecl("ccrypto_digest_copy")
    func copyDigest(_ digest: OpaquePointer) -> OpaquePointer? {
        Digest(Digest.at(digest).takeUnretainedValue().function).pointer
    }

    @_cdecl("ccrypto_digest_update")
    func updateDigest(_ digest: OpaquePointer, _ bytes: UnsafeRawPointer?, _ count: Int) {
        let added = UnsafeRawBufferPointer(start: bytes, count: count)
        Digest.at(digest).takeUnretainedValue().function.update(bufferPointer: added)
    }

    @_cdecl("ccrypto_digest_finish")
    func finishDigest(_ digest: OpaquePointer, _ output: UnsafeMutableRawPointer) {
        func finish(_ function: some HashFunction) {
            output.copyMemory(from: Array(function.finalize()), byteCount: type(of: function).Digest.byteCount)
        }
        finish(Digest.at(digest).takeUnretainedValue().function)
    }

    @_cdecl("ccrypto_digest_free")
    func freeDigest(_ digest: OpaquePointer?) {
        if let digest { Digest.at(digest).release() }
    }

    @_cdecl("ccrypto_pbkdf2_sha1")
    func stretchBySHA1(
        _ password: UnsafeRawPointer?, _ passwordCount: Int, _ salt: UnsafePointer<UInt8>?, _ saltCount: Int,
        _ rounds: UInt32, _ key: UnsafeMutableRawPointer, _ keyCount: Int
    ) -> Bool {
        let derived = try? KDF.Insecure.PBKDF2.deriveKey(
            from: UnsafeRawBufferPointer(start: password, count: passwordCount),
            salt: UnsafeRawBufferPointer(start: salt, count: saltCount), using: .insecureSHA1,
            outputByteCount: keyCount,
            unsafeUncheckedRounds: Int(rounds))
        derived?.withUnsafeBytes { key.copyMemory(from: $0.baseAddress!, byteCount: keyCount) }
        return derived != nil
    }
#endif
