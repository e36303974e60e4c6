//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The functions of `primitives.h` for programs without libcrypto and without CommonCrypto, by swift-crypto.

#if !SystemLibraries && !canImport(CommonCrypto)
    import CPageCipher
    import Crypto
    import CryptoExtras

    @_cdecl("pagecipher_random")
    func fillRandomly(_ bytes: UnsafeMutableRawPointer, _ count: Int) -> Bool {
        var generator = SystemRandomNumberGenerator()
        for position in 0..<count {
            bytes.storeBytes(
                of: UInt8.random(in: .min ... .max, using: &generator), toByteOffset: position, as: UInt8.self)
        }
        return true
    }

    @_cdecl("pagecipher_stretch")
    func stretch(
        _ digest: codedigest, _ password: UnsafeRawPointer?, _ length: Int, _ salt: UnsafeRawPointer?,
        _ saltLength: Int,
        _ rounds: UInt32, _ key: UnsafeMutableRawPointer
    ) -> Bool {
        let derived = try? KDF.Insecure.PBKDF2.deriveKey(
            from: UnsafeRawBufferPointer(start: password, count: length),
            salt: UnsafeRawBufferPointer(start: salt, count: saltLength),
            using: digest == SHA_512 ? .sha512 : .insecureSHA1, outputByteCount: KEY_BYTES,
            unsafeUncheckedRounds: Int(rounds))
        derived?.withUnsafeBytes { key.copyMemory(from: $0.baseAddress!, byteCount: KEY_BYTES) }
        return derived != nil
    }

    /// A `sealer`.
    private final class Sealer {
        let digest: codedigest
        let key: SymmetricKey
        let codeKey: SymmetricKey

        init(_ digest: codedigest, key: UnsafeRawPointer, codeKey: UnsafeRawPointer) {
            self.digest = digest
            self.key = SymmetricKey(data: UnsafeRawBufferPointer(start: key, count: KEY_BYTES))
            self.codeKey = SymmetricKey(data: UnsafeRawBufferPointer(start: codeKey, count: KEY_BYTES))
        }

        static func at(_ pointer: OpaquePointer) -> Unmanaged<Sealer> { .fromOpaque(UnsafeRawPointer(pointer)) }

        func write(_ parts: [UnsafeRawBufferPointer], to code: UnsafeMutableRawPointer) {
            digest == SHA_512
                ? write(HMAC<SHA512>.self, parts, to: code) : write(HMAC<Insecure.SHA1>.self, parts, to: code)
        }

        private func write<Hash>(
            _: HMAC<Hash>.Type, _ parts: [UnsafeRawBufferPointer], to code: UnsafeMutableRawPointer
        ) {
            var authentication = HMAC<Hash>(key: codeKey)
            for part in parts { authentication.update(data: part) }
            code.copyMemory(from: Array(authentication.finalize()), byteCount: Hash.Digest.byteCount)
        }
    }

    @_cdecl("pagecipher_sealer_make")
    func makeSealer(_ digest: codedigest, _ key: UnsafeRawPointer, _ codeKey: UnsafeRawPointer) -> OpaquePointer? {
        OpaquePointer(Unmanaged.passRetained(Sealer(digest, key: key, codeKey: codeKey)).toOpaque())
    }

    @_cdecl("pagecipher_sealer_free")
    func freeSealer(_ sealer: OpaquePointer?) {
        if let sealer { Sealer.at(sealer).release() }
    }

    @_cdecl("pagecipher_sealer_encrypt")
    func encrypt(
        _ sealer: OpaquePointer, _ vector: UnsafeRawPointer, _ input: UnsafeRawPointer,
        _ output: UnsafeMutableRawPointer,
        _ count: Int
    ) -> Bool {
        let bytes = UnsafeRawBufferPointer(start: input, count: count)
        return write(count, to: output, vector) {
            Array(
                try AES._CBC.encrypt(
                    bytes, using: Sealer.at(sealer).takeUnretainedValue().key, iv: $0, noPadding: true))
        }
    }

    @_cdecl("pagecipher_sealer_decrypt")
    func decrypt(
        _ sealer: OpaquePointer, _ vector: UnsafeRawPointer, _ input: UnsafeRawPointer,
        _ output: UnsafeMutableRawPointer,
        _ count: Int
    ) -> Bool {
        let bytes = UnsafeRawBufferPointer(start: input, count: count)
        return write(count, to: output, vector) {
            Array(
                try AES._CBC.decrypt(
                    bytes, using: Sealer.at(sealer).takeUnretainedValue().key, iv: $0, noPadding: true))
        }
    }

    /// Writes the result of a cipher with an initialization vector; returns whether it has as many bytes as expected.
    private func write(
        _ count: Int, to output: UnsafeMutableRawPointer, _ vector: UnsafeRawPointer,
        by cipher: (AES._CBC.IV) throws -> [UInt8]
    ) -> Bool {
        let vector = UnsafeRawBufferPointer(start: vector, count: VECTOR_BYTES)
        guard let initial = try? AES._CBC.IV(ivBytes: vector), let bytes = try? cipher(initial), bytes.count == count
        else { return false }
        output.copyMemory(from: bytes, byteCount: count)
        return true
    }

    @_cdecl("pagecipher_sealer_code")
    func code(
        _ sealer: OpaquePointer, _ bytes: UnsafeRawPointer, _ count: Int, _ number: UInt32,
        _ code: UnsafeMutableRawPointer
    ) -> Bool {
        withUnsafeBytes(of: number.littleEndian) { number in
            Sealer.at(sealer).takeUnretainedValue()
                .write([UnsafeRawBufferPointer(start: bytes, count: count), number], to: code)
        }
        return true
    }
#endif
