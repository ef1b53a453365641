/** What a plugin is for. Instance names are unique within a role. */
export type Role = 'store' | 'model' | 'provider' | 'layer' | 'observer' | 'surface'
