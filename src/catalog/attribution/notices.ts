type Licence = { name: string; url: string }
type Notice = { name: string; url: string; licences: Licence[]; notice: string }

const ODBL: Licence[] = [
  { name: 'ODbL-1.0', url: 'https://opendatacommons.org/licenses/odbl/1-0/' },
  { name: 'DbCL-1.0', url: 'https://opendatacommons.org/licenses/dbcl/1-0/' },
]

const odblNotice = (name: string, url: string) =>
  `Contains information from ${name} (${url}), which is made available under the Open Database License 1.0, contents ` +
  'under the Database Contents License 1.0. A public database made from it is a derivative database and must be ' +
  'offered under ODbL with this notice.'

/** What the sources ask to be said of their data, as in NOTICE. */
export const NOTICES = {
  vndb: {
    name: 'VNDB',
    url: 'https://vndb.org',
    licences: ODBL,
    notice: odblNotice('VNDB', 'https://vndb.org'),
  },
  ranobedb: {
    name: 'RanobeDB',
    url: 'https://ranobedb.org',
    licences: ODBL,
    notice: odblNotice('RanobeDB', 'https://ranobedb.org'),
  },
  bangumi: {
    name: 'Bangumi 番组计划',
    url: 'https://bgm.tv',
    licences: [{ name: 'CC-BY-SA-3.0', url: 'https://creativecommons.org/licenses/by-sa/3.0/' }],
    notice:
      'Text from Bangumi 番组计划 (https://bgm.tv) and its contributors, CC BY-SA. Rows were converted and trimmed.',
  },
} as const satisfies Record<string, Notice>

// as: the keys of that very table
export const NOTICED_SOURCES = Object.keys(NOTICES) as (keyof typeof NOTICES)[]
