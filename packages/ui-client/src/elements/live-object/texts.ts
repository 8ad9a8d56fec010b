/** Texts of the notice of changes, and of the button to follow an object. */
export const liveObjectTexts = {
  /** The work of a user, by action code. Codes without a text use `changed`. */
  deeds: {
    post: 'posted this',
    unpost: 'unposted this',
    repost: 'reposted this',
    mark_for_deletion: 'marked this for deletion',
    unmark_for_deletion: 'removed the deletion mark',
    'notes.created': 'added a note',
    'notes.updated': 'edited a note',
    'notes.mark_for_deletion': 'deleted a note',
    'attachments.upload_requested': 'began to add a file',
    'attachments.scan_requested': 'sent a file for a malware check',
    'attachments.upload_completed': 'added a file',
    'attachments.mark_for_deletion': 'deleted a file',
  } as Readonly<Record<string, string>>,
  changed: 'changed this',
  someone: 'Someone',
  /** The time of a change in the last minute. */
  justNow: 'just now',
  didThis: (actor: string, deed: string, when: string) => `${actor} ${deed} ${when}`,
  show: 'Show',
  follow: 'Follow',
  following: 'Following',
  followHint: 'Get notified when others work on this.',
}

/** The English texts of this group. */
export const liveEnglish = { live: liveObjectTexts }
