import { expect, test } from "vitest";
import { tokens } from "../src/draw/python";
import { BINDINGS, commandOf, type Press } from "../src/keys";
import { note } from "./note";
import { numberText, shapeText, shorten } from "../src/text";

const PLAIN = { shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };
const press = (key: string, more: Partial<Press> = {}) =>
  commandOf({ ...PLAIN, key, ...more });

test("arrows step lines, with Shift events", () => {
  expect(press("ArrowRight")).toBe("on");
  expect(press("ArrowRight", { shiftKey: true })).toBe("eventOn");
  expect(press("ArrowLeft", { shiftKey: true })).toBe("eventBack");
});

test("a sign that needs Shift on some keyboards works on all", () => {
  expect(press("?", { shiftKey: true })).toBe("help");
  expect(press("/", { shiftKey: true })).toBe("find");
});

test("what the browser or the host owns is left to them", () => {
  expect(press("f", { ctrlKey: true })).toBeUndefined();
  expect(press("ArrowLeft", { altKey: true })).toBeUndefined();
  expect(press("End", { metaKey: true })).toBeUndefined();
  expect(press("q")).toBeUndefined();
});

test("no key does two things; each command has a key and a word for the help", () => {
  const keys = BINDINGS.map(([shown]) => shown);
  expect(new Set(keys).size).toBe(keys.length);
  const unsaid = BINDINGS.filter((binding) => binding.some((text: string) => text === ""));
  note("commands-without-key", unsaid.length, { bar: 0 });
  expect(unsaid).toEqual([]);
});

test("a line's text is kept whole, its parts are told apart", () => {
  const line = "    return f'{x}' if x_if else 0x1F  # if 'so'";
  const parts = tokens(line);
  expect(parts.map(({ text }) => text).join("")).toBe(line);
  const of = (kind: string) => parts.filter((p) => p.kind === kind).map((p) => p.text);
  expect(of("keyword")).toEqual(["return", "if", "else"]);
  expect(of("string")).toEqual(["f'{x}'"]);
  expect(of("number")).toEqual(["0x1F"]);
  expect(of("comment")).toEqual(["# if 'so'"]);
});

test("an attribute spelt like a keyword is none; an open string ends the line", () => {
  const kinds = (line: string) => tokens(line).map(({ kind }) => kind);
  expect(kinds("nn.in")).toEqual(["plain"]);
  expect(kinds("'open")).toEqual(["string"]);
  expect(kinds("")).toEqual([]);
});

test("numbers, shapes and names are short", () => {
  expect(numberText(0.123456)).toBe("0.1235");
  expect(numberText(-123456)).toBe("-1.23e+5");
  expect(numberText(0)).toBe("0");
  expect(numberText(null)).toBe("not finite");
  expect(shapeText([-1, 10])).toBe("[-1, 10]");
});

test("a name is cut at its end, and keeps what tells it from others", () => {
  expect(shorten("relu", 16)).toBe("relu");
  expect(shorten("discriminator(fake)", 14)).toBe("discrim…(fake)");
  expect(shorten("discriminator(fake.detach())", 14)).toBe("discriminator…");
  expect(shorten("d_loss = 0.5299", 13)).toBe("d_loss");
  expect(shorten("elementwise_add_grad", 17)).toBe("elementwise_add…");
  expect(shorten("elementwise_add", 9)).toBe("…add");
  expect(shorten("encoder_layer_3.linear_24.w_0", 16)).toBe("encoder_laye…w_0");
  const path = "encoder.layers.0.linear1.weight";
  expect(shorten(path, 30)).toBe("encoder…0.linear1.weight");
  expect(shorten(path, 22)).toBe("encoder…linear1.weight");
  expect(shorten(path, 20)).toBe("encoder…weight");
  expect(shorten(path, 8)).toBe("…weight");
  expect(shorten("LayerNorm, Linear, Dropout ×1,200", 16)).toBe("LayerNor… ×1,200");
  for (let length = 1; length < 24; length++) {
    for (const text of ["elementwise_add_grad", "a.very_long_last_name", "fc, tanh ×66"]) {
      expect(shorten(text, length).length).toBeLessThanOrEqual(length);
    }
  }
});
