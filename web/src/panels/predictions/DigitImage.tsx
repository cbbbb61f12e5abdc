import { useEffect, useRef } from "preact/hooks";
import { dark } from "../../state/theme.ts";

interface DigitImageProps {
  pixels: number[];
  shape: [height: number, width: number];
}

/** A grey image in the page's text and background colours. */
export function DigitImage({ pixels, shape: [height, width] }: DigitImageProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = dark.value;
  useEffect(() => {
    const target = canvas.current;
    const context = target?.getContext("2d");
    if (!target || !context) return;
    const draw = () => {
      const [red, green, blue] = inkOf(target);
      const image = context.createImageData(width, height);
      pixels.forEach((value, i) => image.data.set([red, green, blue, Math.round(255 * value)], 4 * i));
      context.putImageData(image, 0, 0);
    };
    draw();
    target.addEventListener("contextrestored", draw); // after a GPU reset
    return () => target.removeEventListener("contextrestored", draw);
  }, [pixels, width, height, palette]);
  return <canvas ref={canvas} class="digit" width={width} height={height} aria-hidden="true" />;
}

function inkOf(element: HTMLElement): [number, number, number] {
  const [red = 0, green = 0, blue = 0] = (getComputedStyle(element).color.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}
