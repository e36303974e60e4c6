//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GeoPixCore
import GodwitBackend
import GodwitJSON

extension Application {
    /// GeoPix: one database of photos that all users share and anyone may read.
    ///
    /// - Parameters:
    ///   - realms: The names of the server's own realms for logins.
    ///   - declaration: Members of a declaration that concern logins: `providers`, `url`, `redirects`.
    /// - Throws: ``GodwitBackend/AccountError`` if the declaration is not valid.
    static func geoPix(
        realms: [String] = [], declaration: JSONObject = [:]
    ) throws(AccountError) -> Application {
        var members = declaration
        members["id"] = "geopix"
        var application = try Application(.object(members))
        let index: JSONObject = ["index": ["fields": ["sort"]], "name": "sort", "ddoc": "sort"]
        application.shared = [
            GeoPixModule.database: Shared(
                rights: ["_reader", "_writer", "_replicator"], isPublic: true,
                contents: Contents(indexes: [index], designs: ["owners": ["validate_doc_update": .string(ownersOnly)]]))
        ]
        for realm in realms {
            application.providers[realm] = ProviderSettings(.custom, clientID: "").map(ApplicationProvider.init)
        }
        return application
    }

    /// The id of a photo begins with the name of the user to whom the photo belongs. Only this user may write and
    /// delete the photo. Its document has the members of a photo and at most one JPEG picture. Administrators may write
    /// anything.
    private static let ownersOnly = """
        function (newDoc, oldDoc, userCtx) {
          if (userCtx.roles.indexOf('_admin') >= 0) return;
          function refuse(reason) { throw({forbidden: reason}); }
          if (newDoc._id.indexOf('_design/') === 0) refuse('Only administrators write design documents.');
          var colon = newDoc._id.indexOf(':');
          if (colon < 1 || userCtx.name !== 'geopix/' + newDoc._id.substring(0, colon)) refuse('A photo belongs to another user.');
          if (newDoc._deleted) return;
          if (newDoc.type !== 'com.geopix.entry') refuse('The type must be com.geopix.entry.');
          function number(name, min, max, isNeeded) {
            var value = newDoc[name];
            if (value === null || value === undefined) { if (isNeeded) refuse(name + ' is missing.'); return; }
            if (typeof value !== 'number' || !(value >= min && value <= max)) refuse(name + ' is not valid.');
          }
          number('sort', 1, 1e11, true);
          number('latitude', -90, 90); number('longitude', -180, 180);
          number('altitude', -1e5, 1e6); number('course', -360, 360);
          function text(name, length) {
            var value = newDoc[name];
            if (value === null || value === undefined) return;
            if (typeof value !== 'string' || value.length > length) refuse(name + ' is not valid.');
          }
          text('clientDate', 200); text('caption', 1000);
          var names = Object.keys(newDoc._attachments || {});
          if (names.length > 1) refuse('A photo has one picture.');
          names.forEach(function (name) {
            var picture = newDoc._attachments[name];
            if (picture.content_type !== 'image/jpeg') refuse('The picture must be image/jpeg.');
            if (picture.length > 16777216) refuse('The picture is larger than 16 MB.');
          });
          var members = ['_id', '_rev', '_revisions', '_attachments', '_deleted', 'type', 'sort', 'clientDate', 'latitude',
                         'longitude', 'altitude', 'course', 'caption'];
          Object.keys(newDoc).forEach(function (name) {
            if (members.indexOf(name) < 0) refuse(name + ' is no member of a photo.');
          });
        }
        """
}
