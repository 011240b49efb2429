import { sql, type RawBuilder } from 'kysely'

/** Maximum days between the dates of one first volume in two sources: sale, printing and e-book dates differ. */
const MAX_DATE_GAP_DAYS = 90

/** SQL: the folded names of the authors of a record's novel. */
const authorsOf = (record: string) => sql`(
  select name.folded
  from jsonb_array_elements(coalesce(${sql.ref(`${record}.links`)} -> 'people', '[]')) item
  join record_names name
    on name.source = ${sql.ref(`${record}.source`)} and name.kind = 'person' and name.external_id = item.value ->> 'ref'
  where item.value ->> 'relation' in ('author', 'original_creator')
)`

/** SQL: whether the records `one` and `other` state different values of a field. */
const differs = (field: string) =>
  sql`(one.fields ->> ${sql.lit(field)} <> other.fields ->> ${sql.lit(field)})`

/** SQL: whether a stated link in `source_same_as` leads from or to a record of `record_names`. */
const isLinked = (record: string, to: string): RawBuilder<boolean> => sql`exists (
  select from source_same_as stated
  where stated.kind = ${sql.ref(`${record}.kind`)}
    and (
      (stated.source, stated.external_id, stated.other_source)
        = (${sql.ref(`${record}.source`)}, ${sql.ref(`${record}.external_id`)}, ${sql.ref(`${to}.source`)})
      or (stated.other_source, stated.other_external_id, stated.source)
        = (${sql.ref(`${record}.source`)}, ${sql.ref(`${record}.external_id`)}, ${sql.ref(`${to}.source`)})
    )
)`

/** SQL: whether another record of the source of `beside` has the title of `titled` and no link that explains it. */
const isTitleOfAnother = (titled: string, beside: string) => sql`exists (
  select from record_names another
  where another.kind = ${sql.ref(`${titled}.kind`)}
    and another.folded = ${sql.ref(`${titled}.folded`)}
    and another.source = ${sql.ref(`${beside}.source`)}
    and another.external_id <> ${sql.ref(`${beside}.external_id`)}
    and not ${isLinked('another', titled)}
)`

/** SQL: whether first dates are close enough for one novel; null if either is unknown. */
export const areNear = sql`
  (abs((one.fields ->> 'publication_date')::date - (other.fields ->> 'publication_date')::date) <= ${sql.lit(MAX_DATE_GAP_DAYS)})`
export const haveAuthorInCommon = sql`exists (
  select from ${authorsOf('one')} author join ${authorsOf('other')} same on same.folded = author.folded
)`
/** SQL: whether both novels have known authors and share none of them. */
export const haveOtherAuthors = sql`
  exists (select from ${authorsOf('one')} author)
  and exists (select from ${authorsOf('other')} author)
  and not ${haveAuthorInCommon}`

/**
 * SQL: reasons against two records being the same, as a text array. Uses `one` and `other` of `source_records` and
 * their names `one_name` and `other_name`.
 */
export const contradictions = sql`array_remove(
  case
    when one.kind in ('character', 'person') then array[
      case
        when ${differs('gender')}
          and 'other' not in (one.fields ->> 'gender', other.fields ->> 'gender') then 'gender'
      end,
      case when ${differs('birthday_month')} or ${differs('birthday_day')} then 'birthday' end,
      case when ${differs('blood_type')} then 'blood_type' end
    ]
    when one_name.folded <> other_name.folded then array[
      case
        when ${isTitleOfAnother('one_name', 'other_name')} or ${isTitleOfAnother('other_name', 'one_name')}
          then 'title_of_another'
      end,
      case
        when one.kind = 'light_novel' and ${areNear} is false and ${haveOtherAuthors} then 'title_author_date'
      end
    ]
  end,
  null
)`
