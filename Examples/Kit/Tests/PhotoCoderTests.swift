//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Testing

@testable import PhotoKit

@Suite("Copies of pictures")
struct PhotoCoderTests {
    /// Returns a picture that consists of four quarters. The upper ones are red and green, and the lower ones are blue
    /// and white.
    private static func quarters(width: Int = 64, height: Int = 32) -> Raster {
        var pixels: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                switch (x < width / 2, y < height / 2) {
                case (true, true): pixels += [255, 0, 0]
                case (false, true): pixels += [0, 255, 0]
                case (true, false): pixels += [0, 0, 255]
                case (false, false): pixels += [255, 255, 255]
                }
            }
        }
        return Raster(width: width, height: height, pixels: pixels)
    }

    /// Returns the color of the middle of a quarter: `r`, `g`, `b` or `w`.
    private static func color(_ raster: Raster, _ right: Bool, _ bottom: Bool) -> Character {
        let x = raster.width / 4 + (right ? raster.width / 2 : 0)
        let y = raster.height / 4 + (bottom ? raster.height / 2 : 0)
        let start = (y * raster.width + x) * Raster.channels
        switch raster.pixels[start..<start + Raster.channels].map({ $0 > 128 }) {
        case [true, false, false]: return "r"
        case [false, true, false]: return "g"
        case [false, false, true]: return "b"
        case [true, true, true]: return "w"
        default: return "?"
        }
    }

    private static func colors(_ raster: Raster) -> String {
        String([(false, false), (true, false), (false, true), (true, true)].map { color(raster, $0, $1) })
    }

    private static let photos = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "GeoPix/Photos")

    private static func photo(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: photos.appending(path: "\(name).jpg")))
    }

    @Test(
        "A picture is turned upright by each orientation of EXIF",
        arguments: zip(1...8, ["rgbw", "grwb", "wbgr", "bwrg", "rbgw", "brwg", "wgbr", "gwrb"]))
    func orientations(_ orientation: Int, _ expected: String) {
        let turned = Self.quarters().upright(from: orientation)
        #expect((turned.width, turned.height) == (orientation >= 5 ? (32, 64) : (64, 32)))
        #expect(Self.colors(turned) == expected)
    }

    @Test("A picture is shrunk to its longest side, and never enlarged", arguments: [1, 7, 63, 64, 1_000])
    func shrinking(_ side: Int) {
        let small = Self.quarters().shrunk(to: side)
        #expect(max(small.width, small.height) == min(side, 64))
        #expect(small.pixels.count == small.width * small.height * Raster.channels)
        if side >= 63 { #expect(Self.colors(small) == "rgbw") }
    }

    @Test("JPEG is encoded and decoded; a low quality gives a smaller file")
    func jpeg() throws {
        let raster = Self.quarters(width: 640, height: 480)
        let (small, large) = (
            try JPEGCoder.encode(raster, quality: 0.1), try JPEGCoder.encode(raster, quality: 0.95)
        )
        #expect(small.count < large.count)
        for file in [small, large] {
            let decoded = try JPEGCoder.decode(file, longestSide: nil, PhotoLimits())
            #expect((decoded.width, decoded.height) == (640, 480))
            #expect(Self.colors(decoded) == "rgbw")
        }
        let scaled = try JPEGCoder.decode(large, longestSide: 100, PhotoLimits())
        #expect(scaled.width == 160 && Self.colors(scaled) == "rgbw")
    }

    @Test("The data of a camera is read, and a copy does not contain it")
    func cameraData() throws {
        let copy = try PhotoCoder.copy(
            of: try Self.photo("alps-at-dawn"), as: PhotoForm(longestSide: 200, quality: 0.5))
        let place = try #require(copy.details.place)
        #expect(abs(place.latitude - 46.9672) < 1e-4 && abs(place.longitude - 8.6383) < 1e-4)
        #expect(place.altitude == 1_921)
        #expect(copy.details.time?.count == 19 && copy.details.timeOffset?.first == "+")
        #expect(CameraData(of: copy.jpeg) == nil)
        #expect((copy.details.width, copy.details.height) == (200, 150))
        let south = try PhotoCoder.copy(
            of: try Self.photo("dunes-at-sunset"), as: PhotoForm(longestSide: 9, quality: 1))
        #expect(south.details.place.map { $0.latitude < 0 } == true)
        let west = try PhotoCoder.copy(of: try Self.photo("volcano-island"), as: PhotoForm(longestSide: 9, quality: 1))
        #expect(west.details.place.map { $0.longitude < 0 } == true)
        let bare = try PhotoCoder.copy(of: try Self.photo("sea-cliffs-at-noon"), as: PhotoForm(quality: 0.1))
        #expect(bare.details.place == nil && bare.details.time == nil)
    }

    @Test("A copy of a photo with another orientation is upright")
    func uprightCopy() throws {
        let copy = try PhotoCoder.copy(of: try Self.photo("lighthouse"), as: PhotoForm(quality: 0.1))
        #expect((copy.details.width, copy.details.height) == (1_200, 1_600))
    }

    @Test("A file cut anywhere, and a file with changed bytes, give a copy or an error, and no crash")
    func damage() throws {
        let file = try JPEGCoder.encode(Self.quarters(), quality: 0.8)
        for length in 0..<file.count {
            _ = try? PhotoCoder.copy(of: Array(file.prefix(length)), as: PhotoForm(longestSide: 10, quality: 0.5))
        }
        var generator = SystemRandomNumberGenerator()
        let photo = try Self.photo("night-sky")
        for _ in 0..<200 {
            var changed = Array(photo.prefix(20_000))
            for _ in 0..<5 { changed[Int.random(in: 2..<2_000, using: &generator)] = .random(in: 0...255) }
            _ = try? PhotoCoder.copy(of: changed, as: PhotoForm(longestSide: 10, quality: 0.5))
        }
    }

    @Test("A picture with more pixels than the limit is refused before it is decoded")
    func limits() throws {
        var limits = PhotoLimits()
        limits.pixelsMax = 64 * 32 - 1
        let file = try JPEGCoder.encode(Self.quarters(), quality: 0.5)
        let error = #expect(throws: PhotoError.self) {
            try PhotoCoder.copy(of: file, as: PhotoForm(quality: 1), limits: limits)
        }
        #expect(error?.code == .tooLarge)
        limits = PhotoLimits()
        limits.fileBytesMax = file.count - 1
        #expect(throws: PhotoError.self) { try PhotoCoder.copy(of: file, as: PhotoForm(quality: 1), limits: limits) }
        for text in ["<svg/>", "GIF89a", "", "BM"] {
            let error = #expect(throws: PhotoError.self) {
                try PhotoCoder.copy(of: Array(text.utf8), as: PhotoForm(quality: 1))
            }
            #expect(error?.code == .unknownFormat)
        }
    }

    @Test("An answer of the process is read as it was written")
    func answers() throws {
        let copy = try PhotoCoder.copy(of: try Self.photo("alps-at-dawn"), as: PhotoForm(longestSide: 50, quality: 0.5))
        for answer in [PhotoAnswer.made(copy), .refused(PhotoError(.damaged, "The picture is \"cut\"."))] {
            let read = try #require(PhotoAnswer(json: answer.json, jpeg: answer.jpeg))
            switch (answer, read) {
            case (.made(let written), .made(let read)): #expect(written == read)
            case (.refused(let written), .refused(let read)): #expect(written == read)
            default: Issue.record("Another kind of answer was read.")
            }
        }
        #expect(PhotoAnswer(json: Array("{}".utf8), jpeg: []) == nil)
        #expect(PhotoAnswer(json: [], jpeg: []) == nil)
    }
}
