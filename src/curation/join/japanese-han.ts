/**
 * Forms of characters in Japanese names, new form first, from the Jōyō and Jinmeiyō lists, with common variants in
 * surnames. Omits characters that only Chinese simplification merges: 叶 and 葉, 里 and 裏, 発 and 髪.
 */
const FORMS = `
万萬 与與 両兩 並竝 乗乘 乱亂 亀龜 予豫 争爭 亙亘 亜亞 仏佛 仮假 会會 伝傳 体體 価價 倹儉 偽僞 児兒 党黨 内內 円圓 写寫 凜凛
処處 剝剥 剣劍劒 剤劑 剰剩 励勵 労勞 効效 勅敕 勧勸 勲勳 区區 医醫 単單 即卽 厳嚴 双雙 収收 叙敍 号號 吉𠮷 呂吕 営營 嘱囑 団團
囲圍 図圖 国國 圏圈 圧壓 堕墮 塁壘 塡填 塩鹽 増增 壊壞 壌壤 壮壯 声聲 壱壹 売賣 変變 奥奧 奨獎奬 姫姬 嬢孃 学學 宝寶 実實 富冨
寛寬 寝寢 対對 寿壽 専專 将將 尭堯 尽盡 届屆 属屬 岳嶽 峡峽 峰峯 島嶋嶌 崎﨑嵜 嶺岭 巖巌 巣巢 巻卷 帯帶 帰歸 庁廳 広廣 廃廢 弐貳
弥彌 弾彈 当當 径徑 従從 徳德 徴徵 応應 恋戀 恒恆 恵惠 悩惱 悪惡 惨慘 慎愼 懐懷 戦戰 戯戲 戸戶 戻戾 払拂 抜拔 択擇 担擔 拝拜
拠據 拡擴 挙擧 挟挾 挿插 捜搜 掲揭 揺搖 摂攝 撃擊 数數 斉斎齋齊 断斷 旧舊 昼晝 晃晄 晩晚 暁曉 暦曆 曽曾 条條 来來 杯盃 枢樞 栄榮
桑桒 桜櫻 桟棧 桧檜 検檢 楼樓 楽樂 様樣 槙槇 権權 横橫 欧歐 歓歡 歩步 歯齒 歳歲 歴歷 残殘 殴毆 殻殼 毎每 気氣 沢澤 浄淨 浅淺
浜濱濵 涙淚 涼凉 清淸 渇渴 済濟 渉涉 渋澁 渓溪 温溫 湾灣 湿濕 満滿 滝瀧 滞滯 潜潛 瀬瀨 灯燈 炉爐 点點 為爲 焼燒 犠犧 状狀 独獨
狭狹 猟獵 献獻 獣獸 瑶瑤 瓶甁 画畫 畳疊 痩瘦 痴癡 発發 盗盜 県縣 真眞 砕碎 礼禮 禄祿 禅禪 禰祢 禱祷 秘祕 称稱 稲稻 穂穗 穏穩
穣穰 窃竊 窓窗 竜龍 籠篭 粋粹 粛肅 経經 絵繪 継繼 続續 総總 緑綠 緒緖 縁緣 縄繩 縦縱 繊纖 翠翆 翻飜 聴聽 胆膽 脳腦 臓臟 艶艷
芸藝 茎莖 荘莊 萠萌 蔭荫 蔵藏 薫薰 薬藥 薮藪 虚虛 虫蟲 蚕蠶 蛍螢 蛮蠻 衛衞 装裝 覇霸 覚覺 覧覽 観觀 触觸 訳譯 証證 誉譽 読讀
諌諫 謡謠 譲讓 豊豐 賛贊 践踐 転轉 軽輕 辞辭 辺邊邉 逓遞 遅遲 遠逺 遥遙 郎郞 郷鄕鄉 酔醉 醸釀 釈釋 野埜 鉄鐵 鉱鑛 銭錢 鋳鑄 錬鍊
録錄 鎮鎭 関關 闘鬪 陥陷 険險 随隨 隠隱 雑雜 霊靈 青靑 静靜 頰頬 頼賴 顕顯 館舘 駅驛 駆驅駈 騒騷 験驗 髄髓 高髙 髪髮 鴎鷗 鶏鷄
鶴靏 麦麥 麹麴 麺麵 黄黃 黒黑 黙默 齢齡 𠮟叱`

const CANONICAL: ReadonlyMap<number, number> = new Map(
  FORMS.trim()
    .split(/\s+/)
    .flatMap((forms) =>
      Array.from(forms, (form) => [form.codePointAt(0) ?? 0, forms.codePointAt(0) ?? 0] as const),
    ),
)

/** Returns the code point that represents all forms of a Japanese character. */
export const canonicalJapanese = (code: number): number => CANONICAL.get(code) ?? code
