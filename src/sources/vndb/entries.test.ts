import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findInDump } from '#test/dumps.ts'
import { readTables } from '#test/vndb-dump.ts'

const CHARS =
  'id|image|bloodt|cup_size|sex|gender|s_bust|s_waist|s_hip|birthday|height|weight|age|description'

describe('a VNDB character', () => {
  it('has body measurements, except for zeros and unknown values', async () => {
    const { records } = await readTables({
      chars: [
        CHARS,
        'c1|ch12345|ab|D|f||80|55|81|1224|155|\\N|17|A girl.[spoiler]A ghost.[/spoiler]',
        'c2|\\N|unknown||||0|0|0|0|0|\\N|\\N|',
        'c3|\\N|o||b||0|0|0|900|0|48|0|',
        'c4|\\N||||||||185||||',
      ],
      chars_names: [
        'id|lang|name|latin',
        'c1|ja|渚|Nagisa',
        'c2|ja|某|\\N',
        'c3|ja|彼|\\N',
        'c4|ja|誰|\\N',
      ],
      images: ['id|width|height|c_votecount|c_sexual_avg|c_violence_avg', 'ch12345|200|300|9|0|0'],
    })
    const { labels, ...fields } = findInDump(records, 'character', 'c1').fields
    assert.deepEqual(labels, [])
    assert.deepEqual(fields, {
      name: '渚',
      trans_name: null,
      en_name: 'Nagisa',
      aliases: ['Nagisa'],
      intro: 'A girl.',
      en_intro: 'A girl.',
      image: {
        url: 'https://t.vndb.org/ch/45/ch12345.jpg',
        width: 200,
        height: 300,
        sexual: 0,
        violence: 0,
      },
      gender: 'female',
      blood_type: 'AB',
      birthday_month: 12,
      birthday_day: 24,
      height: 155,
      weight: null,
      bust: 80,
      waist: 55,
      hips: 81,
      cup: 'D',
      age: 17,
    })
    const unknown = findInDump(records, 'character', 'c2').fields
    const reported = Object.entries(unknown).filter(
      ([, value]) => value && (!Array.isArray(value) || value.length > 0),
    )
    assert.deepEqual(reported, [['name', '某']])
    const third = findInDump(records, 'character', 'c3').fields
    assert.deepEqual(
      [third.gender, third.blood_type, third.age, third.weight],
      ['other', 'O', 0, 48],
    )
    assert.deepEqual([third.birthday_month, third.birthday_day], [9, null])
    // January 85 is not a date.
    const { birthday_month, birthday_day } = findInDump(records, 'character', 'c4').fields
    assert.deepEqual([birthday_month, birthday_day], [undefined, undefined])
  })

  it('has a name in the language of its galgame, a Chinese name, and aliases without spoilers', async () => {
    const { records } = await readTables({
      vn: ['id|olang', 'v1|ko'],
      chars: [CHARS, 'c1|\\N|unknown||m||0|0|0|0|0|\\N|\\N|'],
      chars_vns: ['id|vid|rid|role|spoil', 'c1|v1|\\N|main|0'],
      chars_names: ['id|lang|name|latin', 'c1|ja|名|Na', 'c1|ko|이름|Ireum', 'c1|zh-Hans|名字|\\N'],
      chars_alias: ['id|spoil|name|latin', 'c1|0|별명|Byeolmyeong', 'c1|2|유령|\\N'],
    })
    const { fields } = findInDump(records, 'character', 'c1')
    assert.deepEqual([fields.name, fields.trans_name, fields.en_name], ['이름', '名字', 'Ireum'])
    assert.deepEqual(fields.aliases, ['名', 'Na', 'Ireum', '별명', 'Byeolmyeong'])
  })

  it('has its traits as grouped labels, without sexual traits, spoilers or lies', async () => {
    const { records } = await readTables({
      chars: [CHARS, 'c1|\\N|unknown||m||0|0|0|0|0|\\N|\\N|'],
      chars_names: ['id|lang|name|latin', 'c1|ja|名|\\N'],
      traits: [
        'id|gid|gorder|sexual|name',
        'i1|\\N|1|f|Hair',
        'i2|\\N|0|f|Role',
        'i3|\\N|2|t|Sexual',
        'i10|i1|0|f|Blond',
        'i11|i2|0|f|Maid',
        'i12|i3|0|f|Kiss',
        'i13|i2|0|t|Lover',
        'i14|i2|0|f|Ghost',
        'i15|i2|0|f|Twin',
      ],
      chars_traits: [
        'id|tid|spoil|lie',
        'c1|i10|0|f',
        'c1|i11|0|f',
        'c1|i12|0|f',
        'c1|i13|0|f',
        'c1|i14|1|f',
        'c1|i15|0|t',
        'c1|i1|0|f',
        'c1|i99|0|f',
      ],
    })
    assert.deepEqual(findInDump(records, 'character', 'c1').fields.labels, [
      { key: 'Role', value: 'Maid' },
      { key: 'Hair', value: 'Blond' },
    ])
  })

  it('is read from the columns of 2023, and from the older columns with the original name', async () => {
    const { records } = await readTables({
      chars: [
        'id|gender|bloodt|b_month|b_day|name|original|latin|alias|description',
        'c1|f|a|12|24|渚|\\N|Nagisa|Dango\\nNagi|',
        'c2|unknown|unknown|0|0|Kyou|杏|\\N||',
      ],
    })
    const { fields } = findInDump(records, 'character', 'c1')
    assert.deepEqual([fields.name, fields.gender, fields.blood_type], ['渚', 'female', 'A'])
    assert.deepEqual([fields.birthday_month, fields.birthday_day], [12, 24])
    assert.deepEqual(fields.aliases, ['Nagisa', 'Dango', 'Nagi'])
    const older = findInDump(records, 'character', 'c2').fields
    assert.deepEqual([older.name, older.gender, older.birthday_month], ['杏', undefined, null])
    assert.deepEqual(older.aliases, ['Kyou'])
  })
})

describe('a VNDB person', () => {
  it('has its main name, other names as aliases, links as labels, and its Bangumi id', async () => {
    const { records, remarks } = await readTables({
      staff: [
        'id|gender|lang|main|description|prod',
        's1|m|ja|11|Writer of [url=/p24]Key[/url].|\\N',
        's2||en|20||\\N',
        's3|f|ja|30||\\N',
      ],
      staff_alias: [
        'id|aid|name|latin',
        's1|10|山田|Yamada',
        's1|11|田中|Tanaka',
        's2|20|Name|\\N',
      ],
      extlinks: [
        'id|site|value',
        '1|bgmtv|3818',
        '2|twitter|tanaka',
        '3|website|https://t.example',
        '4|newsite|7',
      ],
      staff_extlinks: ['id|link', 's1|1', 's1|2', 's1|3', 's1|4'],
    })
    const { fields, same_as } = findInDump(records, 'person', 's1')
    assert.deepEqual(same_as, [{ source: 'bangumi', external_id: '3818' }])
    assert.deepEqual(fields, {
      name: '田中',
      aliases: ['Tanaka', '山田', 'Yamada'],
      intro: 'Writer of Key.',
      gender: 'male',
      labels: [
        { key: 'bgmtv', value: 'https://bgm.tv/person/3818' },
        { key: 'twitter', value: 'https://x.com/tanaka' },
        { key: 'website', value: 'https://t.example' },
        { key: 'newsite', value: '7' },
      ],
      external_links: [
        { label: 'Bangumi', name: 'bgmtv', url: 'https://bgm.tv/person/3818' },
        { label: 'X', name: 'twitter', url: 'https://x.com/tanaka' },
        { label: 'Official website', name: 'website', url: 'https://t.example/' },
      ],
    })
    assert.equal(findInDump(records, 'person', 's2').fields.gender, undefined)
    assert.ok(remarks.includes('people without a name; skipped: s3'))
  })
})

describe('a VNDB producer', () => {
  it('has its type, country, website and other links', async () => {
    const { records } = await readTables({
      producers: [
        'id|type|lang|name|latin|alias|description',
        'p1|co|ja|鍵|Kagi|Key\\nキー|',
        'p2|ng|en|Fans|\\N||',
        'p3|in|zh-Hans|某|\\N||',
        'p4|xx|ko|사|\\N||',
        'p5|co|zh-Hant|社|\\N||',
      ],
      extlinks: [
        'id|site|value',
        '1|wikidata|1143528',
        '2|website|http://key.example/',
        '3|website|http://old.example/',
      ],
      producers_extlinks: ['id|link', 'p1|1', 'p1|2', 'p1|3'],
    })
    assert.deepEqual(findInDump(records, 'producer', 'p1').fields, {
      name: '鍵',
      type: 'COMPANY',
      aliases: ['Kagi', 'Key', 'キー'],
      intro: '',
      en_intro: '',
      country: 'JP',
      website: 'http://key.example/',
      labels: [
        { key: 'wikidata', value: 'https://www.wikidata.org/wiki/Q1143528' },
        { key: 'website', value: 'http://old.example/' },
      ],
      external_links: [
        { label: 'Official website', name: 'website', url: 'http://key.example/' },
        { label: 'Wikidata', name: 'wikidata', url: 'https://www.wikidata.org/wiki/Q1143528' },
        { label: 'Official website', name: 'website', url: 'http://old.example/' },
      ],
    })
    assert.deepEqual(
      records.flatMap((record) =>
        record.kind === 'producer' ? [[record.fields.type, record.fields.country]] : [],
      ),
      [
        ['COMPANY', 'JP'],
        ['DOUJIN', undefined],
        ['INDIVIDUAL', 'CN'],
        [undefined, 'KR'],
        ['COMPANY', undefined],
      ],
    )
  })
})
