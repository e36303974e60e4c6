// The login providers that an application can have: the fields of each kind, and how a field becomes members of the declaration.

const TENANT = /^https:\/\/login\.microsoftonline\.com\/([^/]+)\/v2\.0$/;
/** The issuer of all tenants, which is the server's default. */
const ALL_TENANTS = 'common';

const plainField = (name, options = {}) => ({ name, read: provider => provider?.[name] || '', write: value => ({ [name]: value || undefined }), ...options });
const listField = name => ({ name, isList: true, read: provider => (provider?.[name] || []).join('\n'), write: value => ({ [name]: value.length ? value : undefined }) });
/** The server does not return a secret: an empty field keeps the stored one. */
const secretField = (name, options = {}) => ({ name, isSecret: true, read: () => '', write: value => (value ? { [name]: value } : {}), ...options });

const clientID = plainField('client_id', { isRequired: true, isIdentity: true });
const secret = secretField('client_secret');
const others = listField('other_client_ids');
const tenant = {
  name: 'tenant', isIdentity: true,
  read: provider => {
    const issuer = provider?.issuer || '', found = TENANT.exec(issuer)?.[1] ?? issuer;
    return found === ALL_TENANTS ? '' : found;
  },
  write: value => ({ issuer: /^https?:\/\//.test(value) ? value : `https://login.microsoftonline.com/${value || ALL_TENANTS}/v2.0` }),
};

/** Microsoft's issuers of many tenants: anyone can create one, and give themselves roles in it. */
const MANY_TENANTS = [ALL_TENANTS, 'organizations', 'consumers'];
const hasPartOfKey = (provider, hasSecret) => new Set([provider.team_id, provider.key_id, provider.private_key || hasSecret].map(Boolean)).size > 1;

/**
 * The kinds: their fields in the order of the form, and the page on which the app is registered at the provider. `problem(provider, hasSecret)`
 * names what the server would refuse.
 */
export const KINDS = {
  google: { page: 'https://console.cloud.google.com/apis/credentials', fields: [clientID, secret, others] },
  apple: {
    page: 'https://developer.apple.com/account/resources', fields: [clientID, others, plainField('team_id'), plainField('key_id', { isIdentity: true }),
      secretField('private_key', { isText: true })],
    problem: (provider, hasSecret) => hasPartOfKey(provider, hasSecret) && 'key',
  },
  microsoft: {
    page: 'https://entra.microsoft.com', fields: [tenant, clientID, secret, others],
    problem: provider => provider.roles_claim && MANY_TENANTS.some(name => provider.issuer.split('/').includes(name)) && 'tenant',
  },
  github: { page: 'https://github.com/settings/developers', fields: [clientID, secret, plainField('issuer', { isURL: true, isIdentity: true }), plainField('api_url', { isURL: true, isIdentity: true })] },
  facebook: { page: 'https://developers.facebook.com/apps', fields: [clientID, secret] },
  oidc: { page: null, fields: [plainField('issuer', { isURL: true, isRequired: true, isIdentity: true }), clientID, secret, others] },
  // The server's program asks the questions: only what follows is in the declaration.
  custom: { page: null, fields: [] },
};

/** The kinds that can be added here. */
export const ADDED_KINDS = ['google', 'apple', 'microsoft', 'github', 'facebook', 'oidc'];

/** The kind of a provider: by default its name. */
export const kindOf = (name, provider) => provider.kind || name;
