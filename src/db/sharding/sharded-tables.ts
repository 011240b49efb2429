/** Narrow tables without triggers that user data references. A distributed database keeps a copy on every machine. */
export const REFERENCE_TABLES = ['account_refs', 'work_refs'] as const

type ForeignKey = readonly [name: string, definition: string]

const ofAccount = (table: string): ForeignKey => [
  `${table}_account_id_fkey`,
  'foreign key (account_id) references account_refs(id) on delete cascade',
]

/**
 * Tables with user data, sharded by `account_id`, with their foreign keys (decision 0039). They are distributed in this
 * order, so each table comes after those that it references.
 */
export const SHARDED_TABLES: Readonly<Record<string, readonly ForeignKey[]>> = {
  ratings: [
    ['ratings_account_id_fkey', 'foreign key (account_id) references account_refs(id)'],
    ['ratings_work_id_kind_fkey', 'foreign key (work_id, kind) references work_refs(id, kind)'],
  ],
  rating_changes: [ofAccount('rating_changes')],
  progress: [
    ofAccount('progress'),
    ['progress_work_id_kind_fkey', 'foreign key (work_id, kind) references work_refs(id, kind)'],
  ],
  favorites: [
    ofAccount('favorites'),
    ['favorites_work_id_kind_fkey', 'foreign key (work_id, kind) references work_refs(id, kind)'],
  ],
  follows: [
    ofAccount('follows'),
    [
      'follows_followed_id_fkey',
      'foreign key (followed_id) references account_refs(id) on delete cascade',
    ],
  ],
  notification_settings: [ofAccount('notification_settings')],
  rating_deltas: [],
  rating_walks: [ofAccount('rating_walks')],
  review_votes: [
    [
      'review_votes_account_id_work_id_fkey',
      'foreign key (account_id, work_id) references ratings(account_id, work_id) on delete cascade',
    ],
    ['review_votes_voter_id_fkey', 'foreign key (voter_id) references account_refs(id)'],
  ],
  vote_deltas: [],
  like_notes: [],
  list_imports: [ofAccount('list_imports')],
  collections: [ofAccount('collections')],
  collection_items: [
    [
      'collection_items_account_id_collection_id_fkey',
      'foreign key (account_id, collection_id) references collections(account_id, id) on delete cascade',
    ],
    ['collection_items_work_id_fkey', 'foreign key (work_id) references work_refs(id)'],
  ],
  deleted_collections: [ofAccount('deleted_collections')],
  removed_items: [
    [
      'removed_items_account_id_collection_id_fkey',
      'foreign key (account_id, collection_id) references collections(account_id, id) on delete cascade',
    ],
  ],
  merged_ratings: [ofAccount('merged_ratings')],
  merged_votes: [
    ofAccount('merged_votes'),
    [
      'merged_votes_voter_id_fkey',
      'foreign key (voter_id) references account_refs(id) on delete cascade',
    ],
  ],
  merged_items: [ofAccount('merged_items')],
  merged_progress: [ofAccount('merged_progress')],
  merged_favorites: [ofAccount('merged_favorites')],
  reports: [
    ofAccount('reports'),
    [
      'reports_decided_by_fkey',
      'foreign key (decided_by) references account_refs(id) on delete set null',
    ],
    [
      'reports_owner_id_fkey',
      'foreign key (owner_id) references account_refs(id) on delete cascade',
    ],
  ],
}
