/** Returns the keys of a record that has no others than its type declares. */
export const keysOf = <Name extends string>(record: Readonly<Record<Name, unknown>>) =>
  // as: the keys that the type declares
  Object.keys(record) as Name[]

/** Returns a record with one value per name. */
export const recordOf = <Name extends string, Value>(
  names: readonly Name[],
  make: (name: Name) => Value,
) =>
  // as: one value per name
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>
