//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The AES-256-CBC of `ccrypto.h` for programs without libcrypto and without CommonCrypto, by swift-crypto.

#if !SystemLibraries && !canImport(CommonCrypto)
    import CBase
    import Crypto
    import CryptoExtras

    /// A `ccrypto_cbc`: decrypts in parts. The last complete block is kept, because it may contain the padding.
    private final class Decryption {
        private static let blockBytes = CCRYPTO_CBC_BLOCK_BYTES

        private let key: SymmetricKey
        private var vector: [UInt8]
        private var kept: [UInt8] = []

        init(key: UnsafeRawBufferPointer, vector: UnsafeRawBufferPointer) {
            self.key = SymmetricKey(data: key)
            self.vector = Array(vector)
        }

        static func at(_ pointer: OpaquePointer) -> Unmanaged<Decryption> { .fromOpaque(UnsafeRawPointer(pointer)) }

        func update(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
            kept += bytes
            let count = max(0, kept.count - 1) / Self.blockBytes * Self.blockBytes
            let complete = Array(kept[..<count])
            kept.removeFirst(count)
            invariant(kept.count <= Self.blockBytes, "at most a block waits for its decryption")
            return count > 0 ? decrypted(complete, hasPadding: false) : []
        }

        func finish() -> [UInt8]? { kept.count == Self.blockBytes ? decrypted(kept, hasPadding: true) : nil }

        private func decrypted(_ bytes: [UInt8], hasPadding: Bool) -> [UInt8]? {
            guard let initial = try? AES._CBC.IV(ivBytes: vector) else { return nil }
            vector = Array(bytes.suffix(Self.blockBytes))
            return (try? AES._CBC.decrypt(bytes, using: key, iv: initial, noPadding: !hasPadding)).map { Array($0) }
        }
    }

    @_cdecl("ccrypto_cbc_make")
    func makeDecryption(_ key: UnsafeRawPointer, _ vector: UnsafeRawPointer) -> OpaquePointer? {
        let decryption = Decryption(
            key: UnsafeRawBufferPointer(start: key, count: CCRYPTO_CBC_KEY_BYTES),
            vector: UnsafeRawBufferPointer(start: vector, count: CCRYPTO_CBC_BLOCK_BYTES))
        return OpaquePointer(Unmanaged.passRetained(decryption).toOpaque())
    }

    @_cdecl("ccrypto_cbc_update")
    func updateDecryption(
        _ decryption: OpaquePointer, _ bytes: UnsafeRawPointer?, _ count: Int, _ output: UnsafeMutableRawPointer
    ) -> Int {
        write(
            Decryption.at(decryption).takeUnretainedValue().update(UnsafeRawBufferPointer(start: bytes, count: count)),
            to: output)
    }

    @_cdecl("ccrypto_cbc_finish")
    func finishDecryption(_ decryption: OpaquePointer, _ output: UnsafeMutableRawPointer) -> Int {
        write(Decryption.at(decryption).takeUnretainedValue().finish(), to: output)
    }

    @_cdecl("ccrypto_cbc_free")
    func freeDecryption(_ decryption: OpaquePointer?) {
        if let decryption { Decryption.at(decryption).release() }
    }

    /// Writes decrypted bytes, and returns their number; -1 for `nil`.
    private func write(_ bytes: [UInt8]?, to output: UnsafeMutableRawPointer) -> Int {
        guard let bytes else { return -1 }
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: output, count: bytes.count).copyMemory(from: $0) }
        return bytes.count
    }
#endif
