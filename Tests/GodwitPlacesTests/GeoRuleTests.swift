//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitPlaces
import Testing

struct GeoRuleTests {
    static let understood = [
        "function(doc){if(doc.geometry&&doc.geometry.coordinates){st_index(doc.geometry);}}",
        "function (doc) { if (doc.geometry && doc.geometry.coordinates) { st_index(doc.geometry); } }",
        "function(doc) { st_index(doc.geometry) }", "function(d) { if (d.type == 'place') st_index(d[\"geometry\"]); }",
        "function index(doc) { // all\n /* of */ if (doc.type === \"place\" && (doc.a.b)) { { st_index(doc.spot.place); } } };",
    ]

    @Test(arguments: understood) func usualFunctionsAreUnderstood(_ function: String) {
        #expect(GeoRule(function: function) != nil)
    }

    static let others = [
        "", "function(doc) {}", "function(doc) { st_index(doc.a); st_index(doc.b); }",
        "function(doc) { if (doc.a || doc.b) { st_index(doc.a); } }",
        "function(doc) { if (!doc.a) { st_index(doc.a); } }",
        "function(doc) { if (doc.a == '1') { st_index(doc.a); } }",
        "function(doc) { if (doc.a == 'a,b') { st_index(doc.a); } }",
        "function(doc) { if (doc.a.length) { st_index(doc.a); } }", "function(doc) { st_index(doc._id); }",
        "function(doc) { st_index(doc); }", "function(doc) { st_index(other.geometry); }",
        "function(doc) { if (doc.a) { st_index(doc.b); } else { st_index(doc.c); } }",
        "function(doc) { var g = doc.geometry; st_index(g); }", "function(doc) { st_index(doc.a) } x",
        "function(st_index) { st_index(st_index.a); }", "function st_index(doc) { st_index(doc.a); }",
        "function(this) { st_index(this.a); }", "(doc) => { st_index(doc.a); }",
        "function(doc)\u{85}{ st_index(doc.a); }", "function(doc) { st_index(doc.a, 1); }",
    ]

    @Test(arguments: others) func whatSaysMoreIsLeftToTheEngine(_ function: String) {
        #expect(GeoRule(function: function) == nil)
    }
}
