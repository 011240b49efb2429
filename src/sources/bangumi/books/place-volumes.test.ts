import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countKinds, findImported, importFiles } from '#test/bangumi-imports.ts'
import { by, MANGA_ROW, NOVEL, relation } from '#test/bangumi-rows.ts'

describe('placeVolumes', () => {
  it('orders the volumes of a novel, with side stories and art books last', async () => {
    const dump = await importFiles({
      subject: [
        { ...NOVEL, id: 1, name: '物語', series: true, infobox: '{{Infobox Novel\n|册数= 9\n}}' },
        { ...NOVEL, id: 2, name: '物語 (2)', date: '2011-05-03' },
        {
          ...NOVEL,
          id: 3,
          name: '物語 (1)',
          infobox: '{{Infobox Novel\n|发售日= 2010-04\n}}',
          date: '2010-04-01',
        },
        { ...NOVEL, id: 4, name: '物語 (4.5)' },
        { ...NOVEL, id: 5, name: '物語 外伝' },
        { ...NOVEL, id: 6, platform: 1003, name: '物語 画集' },
        { ...MANGA_ROW, id: 7, name: '物語 漫画版' },
      ],
      'subject-relations': [
        relation(1, 1003, 2),
        relation(1, 1003, 3),
        relation(4, 1002, 1),
        relation(1, 1007, 5),
        relation(1, 1004, 6),
        relation(6, 1004, 1),
        relation(1, 1003, 7),
        relation(1, 1003, 99),
      ],
    })
    const { fields, links } = findImported(dump, 'light_novel', 1)
    assert.deepEqual(
      links?.volumes?.map(({ ref }) => ref),
      ['3', '2', '4', '5', '6'],
    )
    assert.equal(fields.total_volumes, 3)
    assert.deepEqual(
      ['3', '2', '4', '5', '6'].map((id) => {
        const { volume_type, volume_number, volume_label, relation } = findImported(
          dump,
          'light_novel_volume',
          id,
        ).fields
        return [volume_type, volume_number, volume_label, relation]
      }),
      [
        ['MAIN', 1, undefined, '单行本'],
        ['MAIN', 2, undefined, '单行本'],
        ['MAIN', 4.5, undefined, '单行本'],
        ['EXTRA', undefined, '外伝', '番外篇'],
        ['EXTRA', undefined, undefined, '画集'],
      ],
    )
    assert.equal(findImported(dump, 'light_novel_volume', 2).fields.publication_date, '2011-05-03')
    assert.equal(findImported(dump, 'light_novel_volume', 3).fields.publication_date, undefined)
    assert.deepEqual(countKinds(dump), { light_novel: 1, light_novel_volume: 5, manga: 1 })
  })

  it('puts volumes with a label or without a number after the numbered ones', async () => {
    const titles = ['物語', '物語 SS', '物語 (下)', '物語 (上)', '別巻']
    const dump = await importFiles({
      subject: titles.map((name, index) => ({
        ...NOVEL,
        id: index + 1,
        name,
        series: index === 0,
      })),
      'subject-relations': [2, 3, 4, 5].map((id) => relation(1, 1003, id)),
    })
    assert.deepEqual(
      findImported(dump, 'light_novel', 1).links?.volumes?.map(({ ref }) => ref),
      ['4', '3', '2', '5'],
    )
  })

  it('gives a manga the ISBN, price and pages of its first volume, and keeps its side stories separate', async () => {
    const printed = '|ISBN= 4063346692\n|价格= ￥ 560\n|页数= 191\n'
    const dump = await importFiles({
      subject: [
        { ...MANGA_ROW, id: 1, name: '冬', series: true },
        { ...MANGA_ROW, id: 2, name: '冬 (1)', nsfw: true, infobox: by('乙', printed) },
        { ...MANGA_ROW, id: 3, name: '冬 番外' },
      ],
      'subject-relations': [relation(1, 1003, 2), relation(1, 1007, 3)],
      _images: [{ kind: 'subject', id: 2, image: 'aa/bb/2_x.jpg' }],
    })
    const { fields, links } = findImported(dump, 'manga', 1)
    assert.deepEqual(
      [fields.isbn, fields.price_amount, fields.price_currency, fields.pages],
      ['9784063346695', 560, 'JPY', 191],
    )
    assert.deepEqual(links?.volumes, [{ ref: '2' }])
    const cover = {
      url: 'https://lain.bgm.tv/pic/cover/l/aa/bb/2_x.jpg',
      width: null,
      height: null,
      sexual: 2,
      violence: 0,
    }
    assert.deepEqual(findImported(dump, 'manga_volume', 2).fields, {
      volume_number: 1,
      name: '冬 (1)',
      cover,
      isbn: '9784063346695',
      page_count: 191,
    })
    assert.equal(findImported(dump, 'manga', 3).links?.volumes, undefined)
  })

  it('assigns a volume without relations to the only series with its title and author', async () => {
    const dump = await importFiles({
      subject: [
        { ...MANGA_ROW, id: 1, name: '夏！', series: true, infobox: by('甲、乙') },
        { ...MANGA_ROW, id: 2, name: '夏！ (1)', infobox: by('乙') },
        { ...MANGA_ROW, id: 3, name: '夏！ (2)', infobox: by('丙') },
        { ...NOVEL, id: 4, name: '夏！ (3)', infobox: by('乙') },
        { ...MANGA_ROW, id: 5, name: '秋', series: true, infobox: by('丁') },
        { ...MANGA_ROW, id: 6, name: '秋', series: true, infobox: by('丁') },
        { ...MANGA_ROW, id: 7, name: '秋 1', infobox: by('丁') },
      ],
    })
    assert.deepEqual(findImported(dump, 'manga', 1).links?.volumes, [{ ref: '2' }])
    assert.equal(dump.remarks.get('not imported: volumes whose series is not in the dump'), 3)
  })

  it('assigns a volume that two series claim to the first of them, and never makes a series a volume', async () => {
    const dump = await importFiles({
      subject: [
        { ...MANGA_ROW, id: 1, name: '春', series: true },
        { ...MANGA_ROW, id: 2, name: '春 新装版', series: true },
        { ...MANGA_ROW, id: 3, name: '春 (1)' },
      ],
      'subject-relations': [relation(1, 1003, 3), relation(2, 1003, 3), relation(1, 1003, 2)],
    })
    assert.deepEqual(findImported(dump, 'manga', 1).links?.volumes, [{ ref: '3' }])
    assert.equal(findImported(dump, 'manga', 2).links?.volumes, undefined)
    assert.equal(dump.remarks.get('volumes that several works claim; assigned to the first'), 1)
  })

  it('never nests a volume under another volume, even if the series is missing from the dump', async () => {
    const dump = await importFiles({
      subject: [
        { ...NOVEL, id: 1, name: '春', series: true },
        { ...NOVEL, id: 2, name: '春 (1)' },
        { ...NOVEL, id: 3, name: '春の夜' },
        { ...NOVEL, id: 4, name: '秋 (1)' },
        { ...NOVEL, id: 5, name: '秋の夜' },
      ],
      'subject-relations': [relation(2, 1007, 3), relation(1, 1003, 2), relation(4, 1007, 5)],
    })
    assert.deepEqual(countKinds(dump), { light_novel: 3, light_novel_volume: 1 })
  })

  it('ignores a different edition of a volume', async () => {
    const dump = await importFiles({
      subject: [
        { ...MANGA_ROW, id: 1, name: '春', series: true, infobox: by('甲') },
        { ...MANGA_ROW, id: 2, name: '春 (1)' },
        { ...MANGA_ROW, id: 3, name: '春 (1) 新装版', infobox: by('甲') },
      ],
      'subject-relations': [relation(1, 1003, 2), relation(2, 1010, 3), relation(3, 1010, 2)],
    })
    assert.deepEqual(countKinds(dump), { manga: 1, manga_volume: 1, person: 1 })
    assert.equal(dump.remarks.get('not imported: other editions of a volume'), 1)
  })
})
