/** The colours of one view: its host's, unless others were chosen. */

import {
  hostTheme,
  readPalette,
  watchHostTheme,
  type Palette,
  type ThemeChoice,
} from "./theme";

export class Colours {
  private choice: ThemeChoice = "auto";
  private palette: Palette | undefined;
  readonly dispose: () => void;

  constructor(
    private readonly element: HTMLElement,
    private readonly changed: () => void,
  ) {
    this.dispose = watchHostTheme(() => this.choose());
  }

  choose(choice = this.choice): void {
    this.choice = choice;
    const theme = choice === "auto" ? hostTheme() : choice;
    if (this.element.dataset.theme === theme) return;
    this.element.dataset.theme = theme;
    this.palette = undefined;
    this.changed();
  }

  /** The palette, once the stylesheet applies. */
  readonly read = (): Palette => {
    if (this.palette === undefined || this.palette.ink === "") {
      this.palette = readPalette(this.element);
    }
    return this.palette;
  };
}
