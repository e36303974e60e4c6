//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "CPages.h"

#include <string.h>

// MARK: console

static const unsigned char console_api_js[] = {
#embed "Console/api.js"
};
static const unsigned char console_app_js[] = {
#embed "Console/app.js"
};
static const unsigned char console_console_css[] = {
#embed "Console/console.css"
};
static const unsigned char console_index_html[] = {
#embed "Console/index.html"
};
static const unsigned char console_pages_applications_js[] = {
#embed "Console/pages/applications.js"
};
static const unsigned char console_pages_backups_js[] = {
#embed "Console/pages/backups.js"
};
static const unsigned char console_pages_changes_js[] = {
#embed "Console/pages/changes.js"
};
static const unsigned char console_pages_database_js[] = {
#embed "Console/pages/database.js"
};
static const unsigned char console_pages_databases_js[] = {
#embed "Console/pages/databases.js"
};
static const unsigned char console_pages_design_js[] = {
#embed "Console/pages/design.js"
};
static const unsigned char console_pages_document_js[] = {
#embed "Console/pages/document.js"
};
static const unsigned char console_pages_help_js[] = {
#embed "Console/pages/help.js"
};
static const unsigned char console_pages_log_js[] = {
#embed "Console/pages/log.js"
};
static const unsigned char console_pages_objects_js[] = {
#embed "Console/pages/objects.js"
};
static const unsigned char console_pages_overview_js[] = {
#embed "Console/pages/overview.js"
};
static const unsigned char console_pages_queries_js[] = {
#embed "Console/pages/queries.js"
};
static const unsigned char console_pages_replications_js[] = {
#embed "Console/pages/replications.js"
};
static const unsigned char console_pages_security_js[] = {
#embed "Console/pages/security.js"
};
static const unsigned char console_pages_settings_js[] = {
#embed "Console/pages/settings.js"
};
static const unsigned char console_parts_application_accounts_js[] = {
#embed "Console/parts/application-accounts.js"
};
static const unsigned char console_parts_application_change_js[] = {
#embed "Console/parts/application-change.js"
};
static const unsigned char console_parts_application_code_js[] = {
#embed "Console/parts/application-code.js"
};
static const unsigned char console_parts_application_databases_js[] = {
#embed "Console/parts/application-databases.js"
};
static const unsigned char console_parts_application_draft_js[] = {
#embed "Console/parts/application-draft.js"
};
static const unsigned char console_parts_application_logins_js[] = {
#embed "Console/parts/application-logins.js"
};
static const unsigned char console_parts_application_mail_js[] = {
#embed "Console/parts/application-mail.js"
};
static const unsigned char console_parts_application_paths_js[] = {
#embed "Console/parts/application-paths.js"
};
static const unsigned char console_parts_application_provider_kinds_js[] = {
#embed "Console/parts/application-provider-kinds.js"
};
static const unsigned char console_parts_application_provider_js[] = {
#embed "Console/parts/application-provider.js"
};
static const unsigned char console_parts_application_settings_js[] = {
#embed "Console/parts/application-settings.js"
};
static const unsigned char console_parts_application_steps_js[] = {
#embed "Console/parts/application-steps.js"
};
static const unsigned char console_parts_application_user_js[] = {
#embed "Console/parts/application-user.js"
};
static const unsigned char console_parts_application_users_js[] = {
#embed "Console/parts/application-users.js"
};
static const unsigned char console_parts_application_versions_js[] = {
#embed "Console/parts/application-versions.js"
};
static const unsigned char console_parts_application_web_js[] = {
#embed "Console/parts/application-web.js"
};
static const unsigned char console_parts_application_wizard_js[] = {
#embed "Console/parts/application-wizard.js"
};
static const unsigned char console_parts_attachments_js[] = {
#embed "Console/parts/attachments.js"
};
static const unsigned char console_parts_backup_actions_js[] = {
#embed "Console/parts/backup-actions.js"
};
static const unsigned char console_parts_backup_check_js[] = {
#embed "Console/parts/backup-check.js"
};
static const unsigned char console_parts_backup_one_js[] = {
#embed "Console/parts/backup-one.js"
};
static const unsigned char console_parts_backup_poll_js[] = {
#embed "Console/parts/backup-poll.js"
};
static const unsigned char console_parts_backup_state_js[] = {
#embed "Console/parts/backup-state.js"
};
static const unsigned char console_parts_bounded_read_js[] = {
#embed "Console/parts/bounded-read.js"
};
static const unsigned char console_parts_bulk_edit_js[] = {
#embed "Console/parts/bulk-edit.js"
};
static const unsigned char console_parts_bulk_write_js[] = {
#embed "Console/parts/bulk-write.js"
};
static const unsigned char console_parts_changes_feed_js[] = {
#embed "Console/parts/changes-feed.js"
};
static const unsigned char console_parts_chart_js[] = {
#embed "Console/parts/chart.js"
};
static const unsigned char console_parts_conflict_count_js[] = {
#embed "Console/parts/conflict-count.js"
};
static const unsigned char console_parts_database_columns_js[] = {
#embed "Console/parts/database-columns.js"
};
static const unsigned char console_parts_database_documents_js[] = {
#embed "Console/parts/database-documents.js"
};
static const unsigned char console_parts_database_export_js[] = {
#embed "Console/parts/database-export.js"
};
static const unsigned char console_parts_database_field_js[] = {
#embed "Console/parts/database-field.js"
};
static const unsigned char console_parts_database_filter_js[] = {
#embed "Console/parts/database-filter.js"
};
static const unsigned char console_parts_database_import_js[] = {
#embed "Console/parts/database-import.js"
};
static const unsigned char console_parts_database_indexes_js[] = {
#embed "Console/parts/database-indexes.js"
};
static const unsigned char console_parts_database_last_js[] = {
#embed "Console/parts/database-last.js"
};
static const unsigned char console_parts_database_lists_js[] = {
#embed "Console/parts/database-lists.js"
};
static const unsigned char console_parts_database_map_js[] = {
#embed "Console/parts/database-map.js"
};
static const unsigned char console_parts_database_pages_js[] = {
#embed "Console/parts/database-pages.js"
};
static const unsigned char console_parts_database_purge_js[] = {
#embed "Console/parts/database-purge.js"
};
static const unsigned char console_parts_database_selection_js[] = {
#embed "Console/parts/database-selection.js"
};
static const unsigned char console_parts_database_sort_js[] = {
#embed "Console/parts/database-sort.js"
};
static const unsigned char console_parts_design_dialogs_js[] = {
#embed "Console/parts/design-dialogs.js"
};
static const unsigned char console_parts_design_list_js[] = {
#embed "Console/parts/design-list.js"
};
static const unsigned char console_parts_design_model_js[] = {
#embed "Console/parts/design-model.js"
};
static const unsigned char console_parts_design_new_js[] = {
#embed "Console/parts/design-new.js"
};
static const unsigned char console_parts_design_panel_js[] = {
#embed "Console/parts/design-panel.js"
};
static const unsigned char console_parts_design_save_js[] = {
#embed "Console/parts/design-save.js"
};
static const unsigned char console_parts_design_templates_js[] = {
#embed "Console/parts/design-templates.js"
};
static const unsigned char console_parts_difference_js[] = {
#embed "Console/parts/difference.js"
};
static const unsigned char console_parts_document_merge_js[] = {
#embed "Console/parts/document-merge.js"
};
static const unsigned char console_parts_document_pages_js[] = {
#embed "Console/parts/document-pages.js"
};
static const unsigned char console_parts_document_read_js[] = {
#embed "Console/parts/document-read.js"
};
static const unsigned char console_parts_document_text_js[] = {
#embed "Console/parts/document-text.js"
};
static const unsigned char console_parts_editor_js[] = {
#embed "Console/parts/editor.js"
};
static const unsigned char console_parts_export_formats_js[] = {
#embed "Console/parts/export-formats.js"
};
static const unsigned char console_parts_import_documents_js[] = {
#embed "Console/parts/import-documents.js"
};
static const unsigned char console_parts_import_preview_js[] = {
#embed "Console/parts/import-preview.js"
};
static const unsigned char console_parts_import_read_js[] = {
#embed "Console/parts/import-read.js"
};
static const unsigned char console_parts_import_records_js[] = {
#embed "Console/parts/import-records.js"
};
static const unsigned char console_parts_index_form_js[] = {
#embed "Console/parts/index-form.js"
};
static const unsigned char console_parts_json_text_js[] = {
#embed "Console/parts/json-text.js"
};
static const unsigned char console_parts_json_js[] = {
#embed "Console/parts/json.js"
};
static const unsigned char console_parts_keys_js[] = {
#embed "Console/parts/keys.js"
};
static const unsigned char console_parts_map_choices_js[] = {
#embed "Console/parts/map-choices.js"
};
static const unsigned char console_parts_map_example_js[] = {
#embed "Console/parts/map-example.js"
};
static const unsigned char console_parts_map_features_js[] = {
#embed "Console/parts/map-features.js"
};
static const unsigned char console_parts_map_geometry_js[] = {
#embed "Console/parts/map-geometry.js"
};
static const unsigned char console_parts_map_layers_js[] = {
#embed "Console/parts/map-layers.js"
};
static const unsigned char console_parts_map_library_js[] = {
#embed "Console/parts/map-library.js"
};
static const unsigned char console_parts_map_js[] = {
#embed "Console/parts/map.js"
};
static const unsigned char console_parts_merge_js[] = {
#embed "Console/parts/merge.js"
};
static const unsigned char console_parts_objects_account_actions_js[] = {
#embed "Console/parts/objects-account-actions.js"
};
static const unsigned char console_parts_objects_accounts_js[] = {
#embed "Console/parts/objects-accounts.js"
};
static const unsigned char console_parts_objects_container_js[] = {
#embed "Console/parts/objects-container.js"
};
static const unsigned char console_parts_objects_containers_js[] = {
#embed "Console/parts/objects-containers.js"
};
static const unsigned char console_parts_objects_delete_js[] = {
#embed "Console/parts/objects-delete.js"
};
static const unsigned char console_parts_objects_download_js[] = {
#embed "Console/parts/objects-download.js"
};
static const unsigned char console_parts_objects_form_js[] = {
#embed "Console/parts/objects-form.js"
};
static const unsigned char console_parts_objects_keys_js[] = {
#embed "Console/parts/objects-keys.js"
};
static const unsigned char console_parts_objects_list_js[] = {
#embed "Console/parts/objects-list.js"
};
static const unsigned char console_parts_objects_one_js[] = {
#embed "Console/parts/objects-one.js"
};
static const unsigned char console_parts_objects_paths_js[] = {
#embed "Console/parts/objects-paths.js"
};
static const unsigned char console_parts_objects_preview_js[] = {
#embed "Console/parts/objects-preview.js"
};
static const unsigned char console_parts_objects_public_js[] = {
#embed "Console/parts/objects-public.js"
};
static const unsigned char console_parts_objects_quota_js[] = {
#embed "Console/parts/objects-quota.js"
};
static const unsigned char console_parts_objects_read_js[] = {
#embed "Console/parts/objects-read.js"
};
static const unsigned char console_parts_objects_same_js[] = {
#embed "Console/parts/objects-same.js"
};
static const unsigned char console_parts_objects_selection_js[] = {
#embed "Console/parts/objects-selection.js"
};
static const unsigned char console_parts_objects_upload_js[] = {
#embed "Console/parts/objects-upload.js"
};
static const unsigned char console_parts_overview_databases_js[] = {
#embed "Console/parts/overview-databases.js"
};
static const unsigned char console_parts_overview_history_js[] = {
#embed "Console/parts/overview-history.js"
};
static const unsigned char console_parts_overview_start_js[] = {
#embed "Console/parts/overview-start.js"
};
static const unsigned char console_parts_progress_js[] = {
#embed "Console/parts/progress.js"
};
static const unsigned char console_parts_query_area_js[] = {
#embed "Console/parts/query-area.js"
};
static const unsigned char console_parts_query_geo_js[] = {
#embed "Console/parts/query-geo.js"
};
static const unsigned char console_parts_query_index_js[] = {
#embed "Console/parts/query-index.js"
};
static const unsigned char console_parts_query_mango_js[] = {
#embed "Console/parts/query-mango.js"
};
static const unsigned char console_parts_query_nodes_js[] = {
#embed "Console/parts/query-nodes.js"
};
static const unsigned char console_parts_query_plan_js[] = {
#embed "Console/parts/query-plan.js"
};
static const unsigned char console_parts_query_results_js[] = {
#embed "Console/parts/query-results.js"
};
static const unsigned char console_parts_query_text_answer_js[] = {
#embed "Console/parts/query-text-answer.js"
};
static const unsigned char console_parts_query_text_js[] = {
#embed "Console/parts/query-text.js"
};
static const unsigned char console_parts_query_view_js[] = {
#embed "Console/parts/query-view.js"
};
static const unsigned char console_parts_replication_form_js[] = {
#embed "Console/parts/replication-form.js"
};
static const unsigned char console_parts_revision_tree_js[] = {
#embed "Console/parts/revision-tree.js"
};
static const unsigned char console_parts_rights_js[] = {
#embed "Console/parts/rights.js"
};
static const unsigned char console_parts_same_js[] = {
#embed "Console/parts/same.js"
};
static const unsigned char console_parts_security_keys_js[] = {
#embed "Console/parts/security-keys.js"
};
static const unsigned char console_parts_security_permissions_js[] = {
#embed "Console/parts/security-permissions.js"
};
static const unsigned char console_parts_security_rights_js[] = {
#embed "Console/parts/security-rights.js"
};
static const unsigned char console_parts_security_sessions_js[] = {
#embed "Console/parts/security-sessions.js"
};
static const unsigned char console_parts_sha256_js[] = {
#embed "Console/parts/sha256.js"
};
static const unsigned char console_parts_swift_literal_js[] = {
#embed "Console/parts/swift-literal.js"
};
static const unsigned char console_parts_table_js[] = {
#embed "Console/parts/table.js"
};
static const unsigned char console_parts_trial_results_js[] = {
#embed "Console/parts/trial-results.js"
};
static const unsigned char console_parts_trial_js[] = {
#embed "Console/parts/trial.js"
};
static const unsigned char console_parts_upload_js[] = {
#embed "Console/parts/upload.js"
};
static const unsigned char console_texts_js[] = {
#embed "Console/texts.js"
};
static const unsigned char console_view_js[] = {
#embed "Console/view.js"
};

// MARK: map

static const unsigned char map_drawing_js[] = {
#embed "Map/drawing.js"
};
static const unsigned char map_map_css[] = {
#embed "Map/map.css"
};
static const unsigned char map_map_html[] = {
#embed "Map/map.html"
};
static const unsigned char map_map_js[] = {
#embed "Map/map.js"
};

// MARK: base-map

static const unsigned char base_map_base_map_pack[] = {
#embed "BaseMap/Data/base-map.pack"
};
static const unsigned char base_map_base_map_js[] = {
#embed "BaseMap/base-map.js"
};
static const unsigned char base_map_labels_js[] = {
#embed "BaseMap/labels.js"
};
static const unsigned char base_map_style_js[] = {
#embed "BaseMap/style.js"
};
static const unsigned char base_map_tile_js[] = {
#embed "BaseMap/tile.js"
};

static const struct {
    const char *path;
    const unsigned char *bytes;
    size_t size;
} files[] = {
#define FILE(path, bytes) {path, bytes, sizeof bytes}
    FILE("console/api.js", console_api_js),
    FILE("console/app.js", console_app_js),
    FILE("console/console.css", console_console_css),
    FILE("console/index.html", console_index_html),
    FILE("console/pages/applications.js", console_pages_applications_js),
    FILE("console/pages/backups.js", console_pages_backups_js),
    FILE("console/pages/changes.js", console_pages_changes_js),
    FILE("console/pages/database.js", console_pages_database_js),
    FILE("console/pages/databases.js", console_pages_databases_js),
    FILE("console/pages/design.js", console_pages_design_js),
    FILE("console/pages/document.js", console_pages_document_js),
    FILE("console/pages/help.js", console_pages_help_js),
    FILE("console/pages/log.js", console_pages_log_js),
    FILE("console/pages/objects.js", console_pages_objects_js),
    FILE("console/pages/overview.js", console_pages_overview_js),
    FILE("console/pages/queries.js", console_pages_queries_js),
    FILE("console/pages/replications.js", console_pages_replications_js),
    FILE("console/pages/security.js", console_pages_security_js),
    FILE("console/pages/settings.js", console_pages_settings_js),
    FILE("console/parts/application-accounts.js", console_parts_application_accounts_js),
    FILE("console/parts/application-change.js", console_parts_application_change_js),
    FILE("console/parts/application-code.js", console_parts_application_code_js),
    FILE("console/parts/application-databases.js", console_parts_application_databases_js),
    FILE("console/parts/application-draft.js", console_parts_application_draft_js),
    FILE("console/parts/application-logins.js", console_parts_application_logins_js),
    FILE("console/parts/application-mail.js", console_parts_application_mail_js),
    FILE("console/parts/application-paths.js", console_parts_application_paths_js),
    FILE("console/parts/application-provider-kinds.js", console_parts_application_provider_kinds_js),
    FILE("console/parts/application-provider.js", console_parts_application_provider_js),
    FILE("console/parts/application-settings.js", console_parts_application_settings_js),
    FILE("console/parts/application-steps.js", console_parts_application_steps_js),
    FILE("console/parts/application-user.js", console_parts_application_user_js),
    FILE("console/parts/application-users.js", console_parts_application_users_js),
    FILE("console/parts/application-versions.js", console_parts_application_versions_js),
    FILE("console/parts/application-web.js", console_parts_application_web_js),
    FILE("console/parts/application-wizard.js", console_parts_application_wizard_js),
    FILE("console/parts/attachments.js", console_parts_attachments_js),
    FILE("console/parts/backup-actions.js", console_parts_backup_actions_js),
    FILE("console/parts/backup-check.js", console_parts_backup_check_js),
    FILE("console/parts/backup-one.js", console_parts_backup_one_js),
    FILE("console/parts/backup-poll.js", console_parts_backup_poll_js),
    FILE("console/parts/backup-state.js", console_parts_backup_state_js),
    FILE("console/parts/bounded-read.js", console_parts_bounded_read_js),
    FILE("console/parts/bulk-edit.js", console_parts_bulk_edit_js),
    FILE("console/parts/bulk-write.js", console_parts_bulk_write_js),
    FILE("console/parts/changes-feed.js", console_parts_changes_feed_js),
    FILE("console/parts/chart.js", console_parts_chart_js),
    FILE("console/parts/conflict-count.js", console_parts_conflict_count_js),
    FILE("console/parts/database-columns.js", console_parts_database_columns_js),
    FILE("console/parts/database-documents.js", console_parts_database_documents_js),
    FILE("console/parts/database-export.js", console_parts_database_export_js),
    FILE("console/parts/database-field.js", console_parts_database_field_js),
    FILE("console/parts/database-filter.js", console_parts_database_filter_js),
    FILE("console/parts/database-import.js", console_parts_database_import_js),
    FILE("console/parts/database-indexes.js", console_parts_database_indexes_js),
    FILE("console/parts/database-last.js", console_parts_database_last_js),
    FILE("console/parts/database-lists.js", console_parts_database_lists_js),
    FILE("console/parts/database-map.js", console_parts_database_map_js),
    FILE("console/parts/database-pages.js", console_parts_database_pages_js),
    FILE("console/parts/database-purge.js", console_parts_database_purge_js),
    FILE("console/parts/database-selection.js", console_parts_database_selection_js),
    FILE("console/parts/database-sort.js", console_parts_database_sort_js),
    FILE("console/parts/design-dialogs.js", console_parts_design_dialogs_js),
    FILE("console/parts/design-list.js", console_parts_design_list_js),
    FILE("console/parts/design-model.js", console_parts_design_model_js),
    FILE("console/parts/design-new.js", console_parts_design_new_js),
    FILE("console/parts/design-panel.js", console_parts_design_panel_js),
    FILE("console/parts/design-save.js", console_parts_design_save_js),
    FILE("console/parts/design-templates.js", console_parts_design_templates_js),
    FILE("console/parts/difference.js", console_parts_difference_js),
    FILE("console/parts/document-merge.js", console_parts_document_merge_js),
    FILE("console/parts/document-pages.js", console_parts_document_pages_js),
    FILE("console/parts/document-read.js", console_parts_document_read_js),
    FILE("console/parts/document-text.js", console_parts_document_text_js),
    FILE("console/parts/editor.js", console_parts_editor_js),
    FILE("console/parts/export-formats.js", console_parts_export_formats_js),
    FILE("console/parts/import-documents.js", console_parts_import_documents_js),
    FILE("console/parts/import-preview.js", console_parts_import_preview_js),
    FILE("console/parts/import-read.js", console_parts_import_read_js),
    FILE("console/parts/import-records.js", console_parts_import_records_js),
    FILE("console/parts/index-form.js", console_parts_index_form_js),
    FILE("console/parts/json-text.js", console_parts_json_text_js),
    FILE("console/parts/json.js", console_parts_json_js),
    FILE("console/parts/keys.js", console_parts_keys_js),
    FILE("console/parts/map-choices.js", console_parts_map_choices_js),
    FILE("console/parts/map-example.js", console_parts_map_example_js),
    FILE("console/parts/map-features.js", console_parts_map_features_js),
    FILE("console/parts/map-geometry.js", console_parts_map_geometry_js),
    FILE("console/parts/map-layers.js", console_parts_map_layers_js),
    FILE("console/parts/map-library.js", console_parts_map_library_js),
    FILE("console/parts/map.js", console_parts_map_js),
    FILE("console/parts/merge.js", console_parts_merge_js),
    FILE("console/parts/objects-account-actions.js", console_parts_objects_account_actions_js),
    FILE("console/parts/objects-accounts.js", console_parts_objects_accounts_js),
    FILE("console/parts/objects-container.js", console_parts_objects_container_js),
    FILE("console/parts/objects-containers.js", console_parts_objects_containers_js),
    FILE("console/parts/objects-delete.js", console_parts_objects_delete_js),
    FILE("console/parts/objects-download.js", console_parts_objects_download_js),
    FILE("console/parts/objects-form.js", console_parts_objects_form_js),
    FILE("console/parts/objects-keys.js", console_parts_objects_keys_js),
    FILE("console/parts/objects-list.js", console_parts_objects_list_js),
    FILE("console/parts/objects-one.js", console_parts_objects_one_js),
    FILE("console/parts/objects-paths.js", console_parts_objects_paths_js),
    FILE("console/parts/objects-preview.js", console_parts_objects_preview_js),
    FILE("console/parts/objects-public.js", console_parts_objects_public_js),
    FILE("console/parts/objects-quota.js", console_parts_objects_quota_js),
    FILE("console/parts/objects-read.js", console_parts_objects_read_js),
    FILE("console/parts/objects-same.js", console_parts_objects_same_js),
    FILE("console/parts/objects-selection.js", console_parts_objects_selection_js),
    FILE("console/parts/objects-upload.js", console_parts_objects_upload_js),
    FILE("console/parts/overview-databases.js", console_parts_overview_databases_js),
    FILE("console/parts/overview-history.js", console_parts_overview_history_js),
    FILE("console/parts/overview-start.js", console_parts_overview_start_js),
    FILE("console/parts/progress.js", console_parts_progress_js),
    FILE("console/parts/query-area.js", console_parts_query_area_js),
    FILE("console/parts/query-geo.js", console_parts_query_geo_js),
    FILE("console/parts/query-index.js", console_parts_query_index_js),
    FILE("console/parts/query-mango.js", console_parts_query_mango_js),
    FILE("console/parts/query-nodes.js", console_parts_query_nodes_js),
    FILE("console/parts/query-plan.js", console_parts_query_plan_js),
    FILE("console/parts/query-results.js", console_parts_query_results_js),
    FILE("console/parts/query-text-answer.js", console_parts_query_text_answer_js),
    FILE("console/parts/query-text.js", console_parts_query_text_js),
    FILE("console/parts/query-view.js", console_parts_query_view_js),
    FILE("console/parts/replication-form.js", console_parts_replication_form_js),
    FILE("console/parts/revision-tree.js", console_parts_revision_tree_js),
    FILE("console/parts/rights.js", console_parts_rights_js),
    FILE("console/parts/same.js", console_parts_same_js),
    FILE("console/parts/security-keys.js", console_parts_security_keys_js),
    FILE("console/parts/security-permissions.js", console_parts_security_permissions_js),
    FILE("console/parts/security-rights.js", console_parts_security_rights_js),
    FILE("console/parts/security-sessions.js", console_parts_security_sessions_js),
    FILE("console/parts/sha256.js", console_parts_sha256_js),
    FILE("console/parts/swift-literal.js", console_parts_swift_literal_js),
    FILE("console/parts/table.js", console_parts_table_js),
    FILE("console/parts/trial-results.js", console_parts_trial_results_js),
    FILE("console/parts/trial.js", console_parts_trial_js),
    FILE("console/parts/upload.js", console_parts_upload_js),
    FILE("console/texts.js", console_texts_js),
    FILE("console/view.js", console_view_js),
    FILE("map/drawing.js", map_drawing_js),
    FILE("map/map.css", map_map_css),
    FILE("map/map.html", map_map_html),
    FILE("map/map.js", map_map_js),
    FILE("base-map/base-map.pack", base_map_base_map_pack),
    FILE("base-map/base-map.js", base_map_base_map_js),
    FILE("base-map/labels.js", base_map_labels_js),
    FILE("base-map/style.js", base_map_style_js),
    FILE("base-map/tile.js", base_map_tile_js),
};

const unsigned char *embedded_page_file(const char *path, size_t *size) {
    for (size_t index = 0; index < sizeof files / sizeof *files; index++) {
        if (strcmp(files[index].path, path) != 0) continue;
        *size = files[index].size;
        return files[index].bytes;
    }
    return NULL;
}
