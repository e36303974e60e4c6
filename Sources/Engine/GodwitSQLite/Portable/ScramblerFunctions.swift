//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// AES-256-XTS of `primitives.h` (IEEE 1619) for programs without libcrypto and without CommonCrypto. swift-crypto has the
// function of a block, but not this mode.

#if !SystemLibraries && !canImport(CommonCrypto)
    import CPageCipher
    import Crypto
    import CryptoExtras

    /// A `scrambler`.
    private final class Scrambler {
        private let key: SymmetricKey
        private let tweakKey: SymmetricKey

        init(_ key: UnsafeRawBufferPointer) {
            self.key = SymmetricKey(data: key[..<(key.count / 2)])
            tweakKey = SymmetricKey(data: key[(key.count / 2)...])
        }

        static func at(_ pointer: OpaquePointer) -> Unmanaged<Scrambler> { .fromOpaque(UnsafeRawPointer(pointer)) }

        func run(encrypts: Bool, sector: UInt64, _ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawPointer)
            throws
        {
            var tweak = Block(low: sector.littleEndian, high: 0)
            try Self.permute(&tweak, encrypts: true, tweakKey)
            for offset in stride(from: 0, to: input.count, by: MemoryLayout<Block>.size) {
                var block = input.loadUnaligned(fromByteOffset: offset, as: Block.self) ^ tweak
                try Self.permute(&block, encrypts: encrypts, key)
                output.storeBytes(of: block ^ tweak, toByteOffset: offset, as: Block.self)
                tweak.double()
            }
        }

        private static func permute(_ block: inout Block, encrypts: Bool, _ key: SymmetricKey) throws {
            try withUnsafeMutableBytes(of: &block) { bytes in
                var bytes = bytes
                try encrypts ? AES.permute(&bytes, key: key) : AES.inversePermute(&bytes, key: key)
            }
        }
    }

    /// 16 bytes as a number, the low byte first.
    private struct Block {
        var low: UInt64
        var high: UInt64

        static func ^ (left: Block, right: Block) -> Block {
            Block(low: left.low ^ right.low, high: left.high ^ right.high)
        }

        /// Multiplies by x in the field of 2^128 elements.
        mutating func double() {
            let (low, high) = (UInt64(littleEndian: low), UInt64(littleEndian: high))
            self.low = (low << 1 ^ (high >> 63 == 1 ? 0x87 : 0)).littleEndian
            self.high = (high << 1 | low >> 63).littleEndian
        }
    }

    @_cdecl("pagecipher_scrambler_make")
    func makeScrambler(_ key: UnsafeRawPointer) -> OpaquePointer? {
        let scrambler = Scrambler(UnsafeRawBufferPointer(start: key, count: TWEAKED_KEY_BYTES))
        return OpaquePointer(Unmanaged.passRetained(scrambler).toOpaque())
    }

    @_cdecl("pagecipher_scrambler_free")
    func freeScrambler(_ scrambler: OpaquePointer?) {
        if let scrambler { Scrambler.at(scrambler).release() }
    }

    @_cdecl("pagecipher_scrambler_run")
    func runScrambler(
        _ scrambler: OpaquePointer, _ encrypts: Bool, _ sector: UInt64, _ input: UnsafeRawPointer,
        _ output: UnsafeMutableRawPointer, _ count: Int
    ) -> Bool {
        guard count % MemoryLayout<Block>.size == 0 else { return false }
        return
            (try? Scrambler.at(scrambler).takeUnretainedValue().run(
                encrypts: encrypts, sector: sector, UnsafeRawBufferPointer(start: input, count: count), output)) != nil
    }
#endif
