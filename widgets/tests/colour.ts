/** Colour as eyes see it: contrast, differences, and what the colour-blind see of both. */

export type Rgb = readonly [number, number, number];

export function parseHex(text: string): Rgb {
  const digits = text.replace("#", "");
  return [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16) / 255) as
    unknown as Rgb;
}

function linear([r, g, b]: Rgb): Rgb {
  const one = (c: number): number =>
    c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  return [one(r), one(g), one(b)];
}

/** WCAG 2: from 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const light = (colour: Rgb): number => {
    const [r, g, b_] = linear(colour);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b_;
  };
  const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

type Matrix = readonly [Rgb, Rgb, Rgb];

/** Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB. */
export const VISIONS: Record<string, Matrix> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** CIE L*a*b* (D65) of a colour as it is seen. */
export function lab(colour: Rgb, vision: Matrix): Rgb {
  const [r, g, b] = linear(colour);
  const seen = vision.map(([x, y, z]) => Math.min(1, Math.max(0, x * r + y * g + z * b)));
  const [sr, sg, sb] = seen;
  const x = (0.4124564 * sr + 0.3575761 * sg + 0.1804375 * sb) / 0.95047;
  const y = 0.2126729 * sr + 0.7151522 * sg + 0.072175 * sb;
  const z = (0.0193339 * sr + 0.119192 * sg + 0.9503041 * sb) / 1.08883;
  const f = (t: number): number =>
    t > (6 / 29) ** 3 ? Math.cbrt(t) : t / (3 * (6 / 29) ** 2) + 4 / 29;
  return [116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))];
}

const RADIANS = Math.PI / 180;

/** CIEDE2000 (Sharma, Wu and Dalal 2005). */
export function difference(a: Rgb, b: Rgb): number {
  const [l1, a1, b1] = a;
  const [l2, a2, b2] = b;
  const mean = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const g = 0.5 * (1 - Math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7)));
  const [p1, p2] = [(1 + g) * a1, (1 + g) * a2];
  const [c1, c2] = [Math.hypot(p1, b1), Math.hypot(p2, b2)];
  const hue = (x: number, y: number): number =>
    x === 0 && y === 0 ? 0 : (Math.atan2(y, x) / RADIANS + 360) % 360;
  const [h1, h2] = [hue(p1, b1), hue(p2, b2)];
  let turn = h2 - h1;
  if (c1 * c2 === 0) turn = 0;
  else if (turn > 180) turn -= 360;
  else if (turn < -180) turn += 360;
  const dh = 2 * Math.sqrt(c1 * c2) * Math.sin((turn / 2) * RADIANS);
  const [dl, dc] = [l2 - l1, c2 - c1];
  const [lm, cm] = [(l1 + l2) / 2, (c1 + c2) / 2];
  let hm = h1 + h2;
  if (c1 * c2 !== 0) {
    if (Math.abs(h1 - h2) <= 180) hm /= 2;
    else hm = hm < 360 ? (hm + 360) / 2 : (hm - 360) / 2;
  }
  const cos = (angle: number): number => Math.cos(angle * RADIANS);
  const t =
    1 -
    0.17 * cos(hm - 30) +
    0.24 * cos(2 * hm) +
    0.32 * cos(3 * hm + 6) -
    0.2 * cos(4 * hm - 63);
  const sl = 1 + (0.015 * (lm - 50) ** 2) / Math.sqrt(20 + (lm - 50) ** 2);
  const [sc, sh] = [1 + 0.045 * cm, 1 + 0.015 * cm * t];
  const rotation = 30 * Math.exp(-(((hm - 275) / 25) ** 2));
  const rc = 2 * Math.sqrt(cm ** 7 / (cm ** 7 + 25 ** 7));
  const rt = -Math.sin(2 * rotation * RADIANS) * rc;
  const [el, ec, eh] = [dl / sl, dc / sc, dh / sh];
  return Math.sqrt(el ** 2 + ec ** 2 + eh ** 2 + rt * ec * eh);
}
