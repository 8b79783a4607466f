// The texts of the page. {name} stands for a value. Names of adapters and the
// answers themselves read as in the log, in every language.

const texts = {
  en: {
    title: 'Adapter hot-swap', language: 'Language', theme: 'Theme',
    themeAuto: 'Auto', themeDark: 'Dark', themeLight: 'Light',
    comma: ', ', s: '{n} s', min: '{n} min', status: 'HTTP {status}',
    served: 'served by {name}',
    linkConnecting: 'connecting', linkOpen: 'live', linkLost: 'lost, trying again',
    upstreams: 'Upstreams', primary: 'Primary', fallback: 'Fallback',
    up: 'answers', down: 'not well', away: 'does not respond', unknown: 'not known yet',
    answersFor: 'answers, {left} left', answersUntil: 'answers until told otherwise', handmade: 'by hand',
    timeout: 'hangs', error: 'answers HTTP {status}', reset: 'breaks the connection', slow: 'answers {delay} late', garbage: 'answers garbage',
    left: '{left} left', untilTold: 'until told otherwise',
    timeouts: 'Timeouts waited out since these instances started', suffered: 'by this cluster', versus: 'instead of', independent: 'with independent circuit breakers',
    instances: 'Instances', summary: '{n} alive: {primary} on primary, {fallback} on fallback', summaryAlone: '{n} off the bus',
    legend: 'Legend', legendP: 'Chien (primary)', legendF: 'Chat (fallback)', legendR: 'rescued in flight', legendT: 'timeout', legendE: 'error',
    connected: 'on the bus', alone: 'alone', cutOff: 'cut off, {left} left', silent: 'not heard of', pinned: 'pinned', ramping: 'waits for its turn', apart: 'voted, apart',
    position: 'log {n}', thisPage: 'this page',
    answers: 'Last answers: {list}', noAnswers: 'no answers yet',
    timeline: 'Switches', to: 'to {target}', by: 'by {author}', byHand: 'by hand at {author}', fromLog: 'before this page could see it',
    moved1: '{n} instance after {max}', moved: '{n} instances within {max}', waiting: '{n} wait', void: 'no place in the log yet', noSwitches: 'No switch so far.',
    reasons: { timeout: 'timeout', recovered: 'recovered', manual: 'manual', 'pin released': 'pin released', 'connection refused': 'connection refused', 'connection reset': 'connection reset', 'invalid answer': 'garbage', quorum: 'quorum' },
    actions: 'Try it', breakPrimary: 'Break the primary', faultTimeout: 'Timeout', faultError: 'Error 500', faultReset: 'Reset', faultSlow: 'Slow', faultGarbage: 'Garbage',
    lasting: 'for', forGood: 'good', heal: 'Heal', cycle: 'Back to its cycle',
    adapter: 'Switch the adapter', toPrimary: 'To primary', toFallback: 'To fallback', pin: 'Pin', release: 'Release',
    bus: 'Cut an instance off the bus', instance: 'Instance', cut: 'Cut off 20 s', mend: 'Let back', reset: 'Reset all',
    done: 'Done: {what}', refused: 'Refused: {what}', unreached: 'Not reached: {what}',
    newsSwitch: 'Switched to {target}: {reason}, by {author}.', newsAlone: '{name} is alone.', newsConnected: '{name} is on the bus again.',
    newsLost: 'The page has lost its instance.', newsOpen: 'The page is live again.',
  },
  fr: {
    title: 'Adapter hot-swap', language: 'Langue', theme: 'Thème',
    themeAuto: 'Auto', themeDark: 'Sombre', themeLight: 'Clair',
    comma: ', ', s: '{n} s', min: '{n} min', status: 'HTTP {status}',
    served: 'servi par {name}',
    linkConnecting: 'connexion', linkOpen: 'en direct', linkLost: 'perdu, nouvel essai',
    upstreams: 'Services amont', primary: 'Primaire', fallback: 'Fallback',
    up: 'répond', down: 'en panne', away: 'ne répond pas', unknown: 'pas encore connu',
    answersFor: 'répond, encore {left}', answersUntil: 'répond jusqu’à nouvel ordre', handmade: 'à la main',
    timeout: 'ne dit plus rien', error: 'répond HTTP {status}', reset: 'coupe la connexion', slow: 'répond avec {delay} de retard', garbage: 'répond n’importe quoi',
    left: 'encore {left}', untilTold: 'jusqu’à nouvel ordre',
    timeouts: 'Timeouts subis depuis le démarrage de ces instances', suffered: 'par ce cluster', versus: 'au lieu de', independent: 'avec des circuit breakers indépendants',
    instances: 'Instances', summary: '{n} en vie : {primary} sur primary, {fallback} sur fallback', summaryAlone: '{n} hors du bus',
    legend: 'Légende', legendP: 'Chien (primary)', legendF: 'Chat (fallback)', legendR: 'sauvé en vol', legendT: 'timeout', legendE: 'erreur',
    connected: 'sur le bus', alone: 'seule', cutOff: 'coupée, encore {left}', silent: 'plus de nouvelles', pinned: 'figée', ramping: 'attend son tour', apart: 'a voté, à part',
    position: 'log {n}', thisPage: 'cette page',
    answers: 'Dernières réponses : {list}', noAnswers: 'pas encore de réponse',
    timeline: 'Bascules', to: 'vers {target}', by: 'par {author}', byHand: 'à la main sur {author}', fromLog: 'avant que cette page ne la voie',
    moved1: '{n} instance après {max}', moved: '{n} instances en {max}', waiting: '{n} attendent', void: 'pas encore dans le log', noSwitches: 'Aucune bascule pour l’instant.',
    reasons: { timeout: 'timeout', recovered: 'rétabli', manual: 'manuel', 'pin released': 'libéré', 'connection refused': 'connexion refusée', 'connection reset': 'connexion coupée', 'invalid answer': 'réponse invalide', quorum: 'quorum' },
    actions: 'À vous', breakPrimary: 'Casser le primaire', faultTimeout: 'Timeout', faultError: 'Erreur 500', faultReset: 'Coupure', faultSlow: 'Lenteur', faultGarbage: 'N’importe quoi',
    lasting: 'pendant', forGood: 'toujours', heal: 'Réparer', cycle: 'Rendre à son cycle',
    adapter: 'Changer d’adapter', toPrimary: 'Vers primary', toFallback: 'Vers fallback', pin: 'Figer', release: 'Libérer',
    bus: 'Couper une instance du bus', instance: 'Instance', cut: 'Couper 20 s', mend: 'Rebrancher', reset: 'Tout réparer',
    done: 'Fait : {what}', refused: 'Refusé : {what}', unreached: 'Pas joint : {what}',
    newsSwitch: 'Bascule vers {target} : {reason}, par {author}.', newsAlone: '{name} est seule.', newsConnected: '{name} est de retour sur le bus.',
    newsLost: 'La page a perdu son instance.', newsOpen: 'La page est de nouveau en direct.',
  },
  zh: {
    title: '适配器热切换', language: '语言', theme: '主题',
    themeAuto: '自动', themeDark: '深色', themeLight: '浅色',
    comma: '，', s: '{n} 秒', min: '{n} 分钟', status: 'HTTP {status}',
    served: '由 {name} 提供',
    linkConnecting: '连接中', linkOpen: '实时', linkLost: '已断开，正在重试',
    upstreams: '上游服务', primary: '主服务', fallback: '后备服务',
    up: '正常应答', down: '故障', away: '无响应', unknown: '尚未知晓',
    answersFor: '正常应答，剩余 {left}', answersUntil: '正常应答，直到另行通知', handmade: '手动',
    timeout: '挂起，不应答', error: '返回 HTTP {status}', reset: '断开连接', slow: '延迟 {delay} 应答', garbage: '返回无效内容',
    left: '剩余 {left}', untilTold: '直到另行通知',
    timeouts: '这些实例启动以来承受的超时次数', suffered: '本集群', versus: '而非', independent: '若各用独立断路器',
    instances: '实例', summary: '{n} 个在线：primary {primary} 个，fallback {fallback} 个', summaryAlone: '{n} 个离线于总线',
    legend: '图例', legendP: 'Chien（primary）', legendF: 'Chat（fallback）', legendR: '途中获救', legendT: '超时', legendE: '错误',
    connected: '已连总线', alone: '独自决策', cutOff: '已切断，剩余 {left}', silent: '失去消息', pinned: '已固定', ramping: '等待轮到', apart: '已投票，独自切换',
    position: '日志 {n}', thisPage: '本页',
    answers: '最近的应答：{list}', noAnswers: '尚无应答',
    timeline: '切换记录', to: '切到 {target}', by: '发起者 {author}', byHand: '在 {author} 手动', fromLog: '早于本页',
    moved1: '{n} 个实例，用时 {max}', moved: '{n} 个实例，{max} 内', waiting: '{n} 个等待', void: '尚未进入日志', noSwitches: '尚无切换。',
    reasons: { timeout: '超时', recovered: '已恢复', manual: '手动', 'pin released': '解除固定', 'connection refused': '连接被拒', 'connection reset': '连接中断', 'invalid answer': '无效应答', quorum: '法定人数' },
    actions: '动手试试', breakPrimary: '弄坏主服务', faultTimeout: '超时', faultError: '错误 500', faultReset: '断连', faultSlow: '变慢', faultGarbage: '乱答',
    lasting: '持续', forGood: '一直', heal: '修复', cycle: '恢复循环',
    adapter: '切换适配器', toPrimary: '切到 primary', toFallback: '切到 fallback', pin: '固定', release: '解除',
    bus: '把实例从总线切断', instance: '实例', cut: '切断 20 秒', mend: '接回', reset: '全部复位',
    done: '完成：{what}', refused: '被拒绝：{what}', unreached: '未送达：{what}',
    newsSwitch: '已切到 {target}：{reason}，发起者 {author}。', newsAlone: '{name} 独自决策。', newsConnected: '{name} 已重新连上总线。',
    newsLost: '本页失去了它的实例。', newsOpen: '本页恢复实时。',
  },
};

let language = 'en';

/** t returns a text in the language of the page. */
export function t(key, values = {}) {
  const text = texts[language][key] ?? texts.en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
}

/** reason returns why a switch was made. The log knows more reasons than the page. */
export function reason(text) {
  const [, status] = text.match(/^error \(HTTP (\d+)\)$/) ?? [];
  if (status) return t('status', { status });
  return texts[language].reasons[text] ?? text;
}

/** seconds returns a duration for people. */
export function seconds(ms) {
  const s = Math.max(0, Math.ceil(ms / 1000));
  return s < 120 ? t('s', { n: s }) : t('min', { n: Math.ceil(s / 60) });
}

/** latency returns a short duration for people. */
export function latency(ms) {
  if (ms < 1) return '1 ms';
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function preferred() {
  const wanted = [new URLSearchParams(location.search).get('lang'), stored('language'), ...navigator.languages];
  for (const w of wanted) {
    const short = (w ?? '').slice(0, 2).toLowerCase();
    if (short in texts) return short;
  }
  return 'en';
}

/** stored returns what this browser remembers; some remember nothing. */
export function stored(key) {
  try { return localStorage.getItem(key); } catch { return null; }
}

/** store has this browser remember a choice. */
export function store(key, value) {
  try { localStorage.setItem(key, value); } catch { /* it works until the next visit */ }
}

function apply() {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : language;
  document.title = t('title');
  for (const e of document.querySelectorAll('[data-t]')) e.textContent = t(e.dataset.t);
  for (const e of document.querySelectorAll('[data-t-label]')) e.setAttribute('aria-label', t(e.dataset.tLabel));
}

/** setUpLanguage fills the page with texts, and again whenever the language changes. */
export function setUpLanguage(select, changed) {
  language = preferred();
  select.value = language;
  apply();
  select.addEventListener('change', () => {
    language = select.value;
    store('language', language);
    apply();
    changed();
  });
}
