//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The media types of names. OpenStack Swift takes the type from the name if a PUT contains no type or the header
/// `X-Detect-Content-Type`. It asks Python's module `mimetypes`, which also reads the system's file of types. The table
/// has the types of that module, and those of Debian's file for pictures, videos, fonts and documents.
enum SwiftContentTypes {
    /// Returns the type of an object's name; `nil` if it is not known.
    ///
    /// The type is that of the letters after the last dot of the last part of the path. A suffix of compression is
    /// removed before, if it is written as in `encodings`.
    static func type(ofName name: String) -> String? {
        let last =
            name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? name.utf8[...]
        var (base, suffix) = split(last)
        if let plain = compressed[suffix.lowercasedASCII] {
            suffix = plain
        } else if Self.encodings.contains(suffix) {
            (base, suffix) = split(base)
        }
        return types[suffix.lowercasedASCII]
    }

    /// Splits a name at its last dot. Dots at the beginning do not count: a file `.png` has no suffix.
    private static func split(_ name: Substring.UTF8View) -> (base: Substring.UTF8View, suffix: String) {
        let dot = UInt8(ascii: ".")
        let visible = name.drop { $0 == dot }
        guard let last = visible.lastIndex(of: dot) else { return (name, "") }
        return (name[..<last], String(decoding: name[name.index(after: last)...], as: UTF8.self))
    }

    /// The suffixes of compressed files, with upper and lower case as here.
    private static let encodings: Set<String> = ["gz", "Z", "bz2", "xz", "br"]
    /// The suffixes of two kinds at once, with the suffix without compression.
    private static let compressed = [
        "svgz": "svg", "tgz": "tar", "taz": "tar", "tz": "tar", "tbz2": "tar", "txz": "tar",
    ]

    private static let types: [String: String] = {
        var types: [String: String] = [:]
        for line in table.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
            for suffix in words.dropFirst() { types[suffix] = words[0] }
        }
        return types
    }()

    private static let table = """
        application/atom+xml atom
        application/epub+zip epub
        application/geo+json geojson
        application/gpx+xml gpx
        application/java-archive jar
        application/json json
        application/ld+json jsonld
        application/manifest+json webmanifest
        application/msword doc dot wiz
        application/n-quads nq
        application/n-triples nt
        application/octet-stream a bin dll exe o obj so
        application/oda oda
        application/pdf pdf
        application/pgp-signature sig
        application/pkcs7-mime p7c
        application/postscript ai eps ps
        application/rss+xml rss
        application/rtf rtf
        application/sql sql
        application/toml toml
        application/trig trig
        application/vnd.android.package-archive apk
        application/vnd.apache.parquet parquet
        application/vnd.apple.mpegurl m3u m3u8
        application/vnd.debian.binary-package deb
        application/vnd.google-earth.kml+xml kml
        application/vnd.google-earth.kmz kmz
        application/vnd.ms-excel xlb xls
        application/vnd.ms-powerpoint pot ppa pps ppt pwz
        application/vnd.oasis.opendocument.presentation odp
        application/vnd.oasis.opendocument.spreadsheet ods
        application/vnd.oasis.opendocument.text odt
        application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
        application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
        application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
        application/vnd.rar rar
        application/vnd.sqlite3 sqlite sqlite3
        application/wasm wasm
        application/x-7z-compressed 7z
        application/x-bcpio bcpio
        application/x-bittorrent torrent
        application/x-cpio cpio
        application/x-csh csh
        application/x-dvi dvi
        application/x-gtar gtar
        application/x-hdf hdf
        application/x-hdf5 h5
        application/x-iso9660-image iso
        application/x-latex latex
        application/x-mif mif
        application/x-netcdf cdf nc
        application/x-pkcs12 p12 pfx
        application/x-pn-realaudio ram
        application/x-python-code pyc pyo
        application/x-sh sh
        application/x-shar shar
        application/x-shockwave-flash swf
        application/x-sv4cpio sv4cpio
        application/x-sv4crc sv4crc
        application/x-tar tar
        application/x-tcl tcl
        application/x-tex tex
        application/x-texinfo texi texinfo
        application/x-troff roff t tr
        application/x-troff-man man
        application/x-troff-me me
        application/x-troff-ms ms
        application/x-ustar ustar
        application/x-wais-source src
        application/xhtml+xml xht xhtml
        application/xml rdf wsdl xpdl xsl
        application/yaml yaml yml
        application/zip zip
        application/zstd zst
        audio/3gpp 3gp 3gpp
        audio/3gpp2 3g2 3gpp2
        audio/aac aac adts ass loas
        audio/amr amr
        audio/basic au snd
        audio/flac flac
        audio/midi kar mid midi
        audio/mp4 m4a
        audio/mpeg mp2 mp3
        audio/ogg oga ogg spx
        audio/opus opus
        audio/webm weba
        audio/x-aiff aif aifc aiff
        audio/x-matroska mka
        audio/x-pn-realaudio ra
        audio/x-wav wav
        font/collection ttc
        font/otf otf
        font/ttf ttf
        font/woff woff
        font/woff2 woff2
        image/apng apng
        image/avif avif
        image/bmp bmp
        image/gif gif
        image/heic heic
        image/heif heif
        image/ief ief
        image/jp2 jp2
        image/jpeg jpe jpeg jpg
        image/jxl jxl
        image/png png
        image/svg+xml svg
        image/tiff tif tiff
        image/vnd.microsoft.icon ico
        image/webp webp
        image/x-adobe-dng dng
        image/x-cmu-raster ras
        image/x-portable-anymap pnm
        image/x-portable-bitmap pbm
        image/x-portable-graymap pgm
        image/x-portable-pixmap ppm
        image/x-rgb rgb
        image/x-xbitmap xbm
        image/x-xpixmap xpm
        image/x-xwindowdump xwd
        message/rfc822 eml mht mhtml nws
        text/calendar ics
        text/css css
        text/csv csv
        text/html htm html
        text/javascript js mjs
        text/markdown markdown md
        text/n3 n3
        text/plain bat c h ksh pl srt txt
        text/richtext rtx
        text/tab-separated-values tsv
        text/vtt vtt
        text/x-python py
        text/x-rst rst
        text/x-setext etx
        text/x-sgml sgm sgml
        text/x-vcard vcf
        text/xml xml
        video/mp2t ts
        video/mp4 mp4
        video/mpeg m1v mpa mpe mpeg mpg
        video/ogg ogv
        video/quicktime mov qt
        video/webm webm
        video/x-flv flv
        video/x-m4v m4v
        video/x-matroska mkv
        video/x-msvideo avi
        video/x-sgi-movie movie
        """
}
