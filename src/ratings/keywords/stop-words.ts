/**
 * Words that say nothing about a work. Words written only in hiragana are dropped by a rule, so Japanese needs few
 * stop words.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  [
    `about after all also and any are because been before being but can could did does doing done down each even ever every
    few for from get gets getting give got had has have having her here hers him his how into its itself just know let like
    made make makes many may maybe more most much must myself nor not now off once one only other our out over own really
    same say see she should some still such than that the their them then there these they thing things this those though
    through too under until upon use used very was way well were what when where which while who whom why will with would yes
    yet you your yours don didn doesn isn wasn won couldn shouldn wouldn aren weren haven hasn hadn`,
    `一个 一些 一下 一样 一直 一点 一种 一次 不是 不过 不会 不能 不要 不到 之后 之前 之间 也是 什么 他们 她们 它们 他的 她的 以及 以后 以前 但是 作为
    你们 使用 出来 只是 只有 可以 可能 各种 同时 否则 因为 因此 大家 如果 如何 如此 对于 就是 已经 并且 开始 当然 怎么 怎样 总之 我们 或者 所以 所有
    所谓 才是 时候 是否 最后 有些 有点 没有 然后 然而 现在 甚至 由于 的话 真的 知道 确实 竟然 第一 算是 而且 而是 自己 虽然 虽说 觉得 认为 许多 起来 还是
    还有 这个 这些 这样 这种 这里 这么 进行 通过 那个 那些 那么 那样 那种 那里 部分 都是 非常 感觉 比较 其实 其他 其中 特别 之类 为了 个人 关于 东西 比如`,
    `自分 場合 部分 今回 最初 最後 一番 全部 全体 以上 以下 本当 必要 個人 個人的 非常 感じ 作品 本作 レビュー`,
    `作品 本作 游戏 漫画 小说 轻小说 感想 短评`,
  ].flatMap((words) => words.split(/\s+/)),
)
